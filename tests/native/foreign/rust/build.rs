// SPDX-License-Identifier: Apache-2.0
use std::process::Command;

fn main() {
    let words = ["--variable=libdir", "wideblock"];
    let said = Command::new("pkg-config").args(words).output().expect("pkg-config runs").stdout;
    println!("cargo:rustc-link-search={}", String::from_utf8(said).unwrap().trim());
    println!("cargo:rustc-link-lib=wideblock");
}
