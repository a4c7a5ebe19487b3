// SPDX-License-Identifier: Apache-2.0
// The master of an AXI4-Lite slave of the model, one access at a time.
#pragma once

#include "verilated.h"

template <typename Address> struct LitePins {
  CData &awvalid, &awready;
  Address &awaddr;
  CData &wvalid, &wready;
  IData &wdata;
  CData &wstrb, &bvalid, &bready, &arvalid, &arready;
  Address &araddr;
  CData &rvalid, &rready;
  IData &rdata;
};

#define LITE_PINS(top, slave)                                                                                          \
  {                                                                                                                    \
    (top).slave##_awvalid, (top).slave##_awready, (top).slave##_awaddr, (top).slave##_wvalid, (top).slave##_wready,    \
        (top).slave##_wdata, (top).slave##_wstrb, (top).slave##_bvalid, (top).slave##_bready, (top).slave##_arvalid,   \
        (top).slave##_arready, (top).slave##_araddr, (top).slave##_rvalid, (top).slave##_rready, (top).slave##_rdata   \
  }

template <typename Address> class LiteBus {
public:
  explicit LiteBus(LitePins<Address> pins) : pins(pins) {}

  void begin_read(uint32_t at)
  {
    address = at;
    ar = r = true;
  }

  void begin_write(uint32_t at, uint32_t value)
  {
    address = at;
    data = value;
    aw = w = b = true;
  }

  bool busy() const { return aw || w || b || ar || r; }
  uint32_t result() const { return data; }

  // Before the rising edge: drives the model's inputs.
  void drive()
  {
    pins.awvalid = aw;
    pins.wvalid = w;
    pins.bready = b;
    pins.arvalid = ar;
    pins.rready = r;
    pins.awaddr = pins.araddr = address;
    pins.wdata = data;
    pins.wstrb = 0xf;
  }

  // The same, with the outputs that the inputs gave: takes what is transferred.
  void sample()
  {
    aw = aw && !pins.awready;
    w = w && !pins.wready;
    b = b && !pins.bvalid;
    ar = ar && !pins.arready;
    if (r && pins.rvalid) {
      data = pins.rdata;
      r = false;
    }
  }

private:
  LitePins<Address> pins;
  bool aw = false, w = false, b = false, ar = false, r = false;
  uint32_t address = 0, data = 0;
};
