// SPDX-License-Identifier: Apache-2.0

// As c/main.c.
package main

// #cgo pkg-config: wideblock
// #include <stdlib.h>
// #include <wideblock.h>
import "C"

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"unsafe"
)

type cipher struct{ context *C.wideblock }

func checked(result C.int) error {
	if result == C.WIDEBLOCK_OK {
		return nil
	}
	return errors.New(C.GoString(C.wideblock_message(result)))
}

func open(scheme string, key []byte) (c cipher, err error) {
	name := C.CString(scheme)
	defer C.free(unsafe.Pointer(name))
	err = checked(C.wideblock_open(&c.context, name, (*C.uint8_t)(&key[0]), C.size_t(len(key)), nil))
	return
}

func (c cipher) encrypt(data []byte, sector int, first [16]byte) error {
	at := (*C.uint8_t)(&data[0])
	sectors := C.size_t(len(data) / sector)
	return checked(C.wideblock_crypt_numbered(c.context, 0, at, at, sectors, C.size_t(sector), (*C.uint8_t)(&first[0]), 16, 2))
}

func (c cipher) close() { C.wideblock_close(c.context) }

func main() {
	key, data := make([]byte, 16), make([]byte, 2*512)
	for i := range key {
		key[i] = byte(i)
	}
	c, err := open("hctr2", key)
	if err != nil {
		log.Fatal(err)
	}
	defer c.close()
	if err := c.encrypt(data, 512, [16]byte{5}); err != nil {
		log.Fatal(err)
	}
	_, err = open("hctr2", key[1:])
	fmt.Println(hex.EncodeToString(data), err)
}
