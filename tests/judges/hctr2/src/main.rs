// SPDX-License-Identifier: Apache-2.0
//! HCTR2 by the crate hctr2-rs: each line of the input, `key tweak message` in hexadecimal with `-` for nothing, is
//! answered by a line with the enciphered and the deciphered message.

use std::io::{self, BufRead, Write};

use hctr2_rs::hctr2::{Hctr2_128, Hctr2_256};

fn bytes(text: &str) -> Vec<u8> {
    let digits = text.trim_start_matches('-');
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits"))
        .collect()
}

fn hex(data: &[u8]) -> String {
    data.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split(' ').map(bytes);
        let mut next = || words.next().expect("a key, a tweak and a message");
        let (key, tweak, message) = (next(), next(), next());
        let (mut there, mut back) = (message.clone(), message.clone());
        if key.len() == 16 {
            let cipher = Hctr2_128::new(&key);
            cipher.encrypt(&message, &tweak, &mut there).expect("16 bytes or more");
            cipher.decrypt(&message, &tweak, &mut back).expect("16 bytes or more");
        } else {
            let cipher = Hctr2_256::new(&key);
            cipher.encrypt(&message, &tweak, &mut there).expect("16 bytes or more");
            cipher.decrypt(&message, &tweak, &mut back).expect("16 bytes or more");
        }
        writeln!(out, "{} {}", hex(&there), hex(&back))?;
    }
    Ok(())
}
