// SPDX-License-Identifier: Apache-2.0
//! As c/main.c.
use std::ffi::{c_char, c_int, c_uint, CStr};
use std::ptr::{null, null_mut};

#[repr(C)]
struct Context {
    _private: [u8; 0],
}

#[rustfmt::skip]
extern "C" {
    fn wideblock_open(context: *mut *mut Context, scheme: *const c_char, key: *const u8, key_bytes: usize,
                      width: *const c_char) -> c_int;
    fn wideblock_close(context: *mut Context);
    fn wideblock_message(result: c_int) -> *const c_char;
    fn wideblock_crypt_numbered(context: *const Context, decrypt: c_int, data: *const u8, out: *mut u8, sectors: usize,
                                sector_bytes: usize, first: *const u8, tweak_bytes: usize, threads: c_uint) -> c_int;
}

struct Cipher(*mut Context);

impl Cipher {
    fn new(scheme: &CStr, key: &[u8]) -> Result<Self, String> {
        let mut context = null_mut();
        let result = unsafe { wideblock_open(&mut context, scheme.as_ptr(), key.as_ptr(), key.len(), null()) };
        checked(result).map(|()| Cipher(context))
    }

    fn encrypt(&self, data: &mut [u8], sector: usize, first: u128) -> Result<(), String> {
        let (at, number) = (data.as_mut_ptr(), first.to_le_bytes());
        let sectors = data.len() / sector;
        checked(unsafe { wideblock_crypt_numbered(self.0, 0, at, at, sectors, sector, number.as_ptr(), 16, 2) })
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        unsafe { wideblock_close(self.0) }
    }
}

fn checked(result: c_int) -> Result<(), String> {
    if result == 0 {
        return Ok(());
    }
    Err(unsafe { CStr::from_ptr(wideblock_message(result)) }.to_string_lossy().into_owned())
}

fn main() -> Result<(), String> {
    let (key, mut data): (Vec<u8>, _) = ((0..16).collect(), [0; 2 * 512]);
    let scheme = CStr::from_bytes_with_nul(b"hctr2\0").unwrap();
    Cipher::new(scheme, &key)?.encrypt(&mut data, 512, 5)?;
    let hex: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("{hex} {}", Cipher::new(scheme, &key[1..]).err().unwrap());
    Ok(())
}
