// SPDX-License-Identifier: Apache-2.0
// An engine (registers=axi4-lite) with its master emulated: rings, checks and halts of dma=axi4, beats without waits.
// A result is that of the oldest unit that was not refused; `fault` in the cycle after a unit's first beat names it.
#include "accelerator.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "Vcore.h"
#include "lite_bus.h"

namespace {

constexpr uint32_t ENGINE = 0x4000, DMA = 0x8000; // blocks of BAR 0; the first is that of the key registers
constexpr uint32_t KEY_CTRL = 0x80, EXE = 1;
constexpr uint64_t COMMAND_CYCLES = 400, ACCESS_CYCLES = 16, ENGINE_CYCLES = 64; // for effects of an access
constexpr uint64_t READ_CYCLES = 100; // of a read by PCI, in which a command goes on
constexpr uint64_t START_CYCLES = 5000, MOST_CYCLES = 100000;
constexpr size_t BEAT = 16, MOST_JOBS = 4, WINDOWS = 4;
constexpr uint64_t PAGE = 4096;

enum Register : uint32_t {
  ID = 0x00, VERSION = 0x04, CAPS = 0x08, CONTROL = 0x0c, STATUS = 0x10, IRQ_STATUS = 0x18, IRQ_ENABLE = 0x1c,
  RING = 0x28, DOORBELL = 0x2c, SUBMISSION = 0x30, COMPLETION = 0x38, BASE_LO = 0x80, BASE_HI = 0x90, LAST_LO = 0xa0,
  LAST_HI = 0xb0, REGISTERS_END = 0xc0
};
enum State_ : uint32_t { RUNNING = 1, STOPPING = 2, IDLE = 4 };
enum Halt : uint32_t { NONE, STOP, CLEARED };
enum Event : uint32_t { DONE = 1, ERROR = 2, HALTED = 4 };
enum Permission : uint32_t { READ = 1, WRITE = 2 };
enum Result : uint8_t { OK, REFUSED, ALIGN, LENGTH, OVERLAP, WINDOW, DESCRIPTOR = 9 };

struct Descriptor {
  uint64_t source, target;
  uint32_t bytes;
  uint16_t units, slot;
  uint32_t flags, cookie;
  uint8_t tweak[16];
  uint32_t step, zero[3];
};
static_assert(sizeof(Descriptor) == 64, "descriptor");

struct Completion {
  uint32_t cookie;
  uint16_t units, status;
  uint64_t address;
};

struct Job {
  Descriptor text;
  uint16_t begun = 0, done = 0;
  uint8_t result = OK, cause = 0;

  bool ended() const { return result != OK || done == text.units; }
};

struct Unit {
  std::shared_ptr<Job> job;
  uint8_t tweak[16];
  std::vector<uint8_t> in, out;
  uint64_t target;
  size_t at = 0; // bytes that have entered
  bool lost = false, whole = false;
};

} // namespace

struct Accelerator::State {
  State(const GuestMemory &memory, BridgeFigures &figures) : memory(memory), figures(figures)
  {
    Verilated::randReset(2);
    top.aresetn = 0;
    for (int n = 0; n < 5; n++)
      cycle();
    top.aresetn = 1;
    for (uint64_t n = 0; n < START_CYCLES; n++)
      cycle();
  }

  const GuestMemory &memory;
  BridgeFigures &figures;
  Vcore top;
  LiteBus<CData> keys{LITE_PINS(top, s_axi_key)};
  LiteBus<SData> engine{LITE_PINS(top, s_axi)};
  uint64_t awake = 0; // cycle up to which an access has effects

  uint32_t registers[REGISTERS_END / 4] = {};
  uint32_t status = IDLE, fetched = 0, completed = 0;
  std::deque<std::shared_ptr<Job>> jobs;
  std::deque<std::shared_ptr<Unit>> inside;
  std::shared_ptr<Unit> feeding, opened;
  bool was_ready = false;

  uint32_t &reg(uint32_t at) { return registers[at / 4]; }
  uint64_t address(uint32_t at) { return reg(at) | static_cast<uint64_t>(reg(at + 4)) << 32; }
  uint32_t entries() { return 1u << reg(RING); }

  bool permitted(uint64_t begin, uint64_t bytes, uint32_t permission)
  {
    for (uint32_t n = 0; n < 4 * WINDOWS; n += 4) {
      uint64_t low = reg(BASE_LO + n) | static_cast<uint64_t>(reg(BASE_HI + n)) << 32;
      uint64_t last = reg(LAST_LO + n) | static_cast<uint64_t>(reg(LAST_HI + n)) << 32;

      if (low & permission && begin >= low - low % PAGE && begin + bytes - 1 <= (last | (PAGE - 1)))
        return memory.find(begin, bytes) != nullptr;
    }
    return false;
  }

  uint8_t checked(const Descriptor &text)
  {
    uint64_t bytes = static_cast<uint64_t>(text.bytes) * text.units;

    if (text.flags > 1 || text.zero[0] || text.zero[1] || text.zero[2])
      return DESCRIPTOR;
    if (text.source % BEAT || text.target % BEAT)
      return ALIGN;
    if (!text.units || text.bytes < BEAT || (text.units > 1 && text.bytes % BEAT))
      return LENGTH;
    if (text.source != text.target && text.source < text.target + bytes && text.target < text.source + bytes)
      return OVERLAP;
    return permitted(text.source, bytes, READ) && permitted(text.target, bytes, WRITE) ? OK : WINDOW;
  }

  void fetch()
  {
    while (status == RUNNING && fetched != reg(DOORBELL) % entries() && jobs.size() < MOST_JOBS) {
      uint64_t at = address(SUBMISSION) + sizeof(Descriptor) * fetched;
      auto job = std::make_shared<Job>();

      if (!permitted(at, sizeof(Descriptor), READ))
        throw BridgeError("the submission ring is not in a window");
      memcpy(&job->text, memory.physical(at, sizeof(Descriptor)), sizeof(Descriptor));
      job->result = checked(job->text);
      jobs.push_back(job);
      fetched = (fetched + 1) % entries();
    }
  }

  void complete(const Job &job)
  {
    uint64_t at = address(COMPLETION) + sizeof(Completion) * (completed % entries());
    uint16_t phase = !(completed / entries() % 2);
    Completion entry{job.text.cookie, job.done, 0, 0};
    auto state = static_cast<uint16_t>(job.result | job.cause << 8 | phase << 15);

    if (!permitted(at, sizeof entry, WRITE))
      throw BridgeError("the completion ring is not in a window");
    uint8_t *place = memory.physical(at, sizeof entry);
    entry.status = static_cast<uint16_t>(state ^ 1u << 15);
    memcpy(place, &entry, sizeof entry);
    __atomic_store_n(reinterpret_cast<uint16_t *>(place + 6), state, __ATOMIC_RELEASE);
    completed++;
    figures.jobs++;
    reg(IRQ_STATUS) |= DONE | (job.result ? ERROR : 0);
  }

  void next_unit()
  {
    for (const auto &job : jobs) {
      if (job->result != OK || job->begun == job->text.units)
        continue;
      const Descriptor &text = job->text;
      uint64_t offset = static_cast<uint64_t>(text.bytes) * job->begun;
      auto unit = std::make_shared<Unit>();
      const uint8_t *source = memory.physical(text.source + offset, text.bytes);
      unsigned __int128 tweak;

      memcpy(&tweak, text.tweak, sizeof tweak);
      tweak += static_cast<unsigned __int128>(text.step) * job->begun;
      memcpy(unit->tweak, &tweak, sizeof tweak);
      unit->job = job;
      unit->in.assign(source, source + text.bytes);
      unit->target = text.target + offset;
      job->begun++;
      feeding = unit;
      inside.push_back(unit);
      return;
    }
  }

  // Ends units in order, and then jobs.
  void settle()
  {
    while (!inside.empty() && (inside.front()->whole || inside.front()->lost)) {
      Unit &unit = *inside.front();
      Job &job = *unit.job;

      if (unit.lost && &unit == feeding.get())
        break; // its beats still enter
      if (unit.whole && status == RUNNING && job.result == OK) {
        memcpy(memory.physical(unit.target, unit.out.size()), unit.out.data(), unit.out.size());
        job.done++;
        figures.bytes += unit.out.size();
      }
      inside.pop_front();
    }
    while (status == RUNNING && !jobs.empty() && jobs.front()->ended() && !has_units(*jobs.front())) {
      complete(*jobs.front());
      jobs.pop_front();
    }
    if (status == STOPPING && inside.empty() && !feeding) {
      status = IDLE;
      reg(IRQ_STATUS) |= HALTED;
    }
  }

  bool has_units(const Job &job) const
  {
    return std::any_of(inside.begin(), inside.end(), [&](const auto &unit) { return unit->job.get() == &job; });
  }

  void halt(Halt cause)
  {
    if (status != RUNNING)
      return;
    status = STOPPING;
    reg(STATUS) = cause;
    jobs.clear();
    if (feeding && !feeding->at) {
      inside.erase(std::find(inside.begin(), inside.end(), feeding));
      feeding.reset();
    }
  }

  void drive_beat()
  {
    top.s_axis_tvalid = feeding != nullptr;
    if (!feeding)
      return;
    size_t left = std::min(BEAT, feeding->in.size() - feeding->at);
    uint32_t request[5];

    memset(&top.s_axis_tdata[0], 0, BEAT);
    memcpy(&top.s_axis_tdata[0], feeding->in.data() + feeding->at, left);
    top.s_axis_tkeep = static_cast<SData>((1u << left) - 1);
    top.s_axis_tlast = feeding->at + left == feeding->in.size();
    memcpy(request, feeding->tweak, sizeof feeding->tweak);
    request[4] = feeding->job->text.slot | (feeding->job->text.flags & 1) << 16;
    memcpy(&top.s_axis_tuser[0], request, sizeof request);
  }

  void take_result()
  {
    auto unit = std::find_if(inside.begin(), inside.end(), [](const auto &u) { return !u->lost && !u->whole; });

    if (unit == inside.end())
      throw BridgeError("the engine gives a result that belongs to no unit");
    const auto *beat = reinterpret_cast<const uint8_t *>(&top.m_axis_tdata[0]);
    (*unit)->out.insert((*unit)->out.end(), beat, beat + __builtin_popcount(top.m_axis_tkeep));
    (*unit)->whole = top.m_axis_tlast;
    if (top.m_axis_tlast && (*unit)->out.size() != (*unit)->in.size())
      throw BridgeError("a result has another length than its unit");
  }

  void sample()
  {
    if (was_ready && !top.ready) { // a clear: no result of what is inside will come
      for (const auto &unit : inside)
        unit->lost |= !unit->whole;
      halt(CLEARED);
    }
    was_ready = top.ready;
    if (top.fault) {
      figures.faults++;
      if (opened && !opened->lost) {
        opened->lost = true;
        opened->job->result = REFUSED;
        opened->job->cause = static_cast<uint8_t>(__builtin_ctz(top.fault));
      }
    }
    opened.reset();
    if (top.m_axis_tvalid)
      take_result();
    if (top.s_axis_tvalid && top.s_axis_tready) {
      figures.beats++;
      if (!feeding->at)
        opened = feeding;
      feeding->at += std::min(BEAT, feeding->in.size() - feeding->at);
      if (feeding->at == feeding->in.size())
        feeding.reset();
    }
    keys.sample();
    engine.sample();
    settle();
  }

  void cycle()
  {
    if (status == RUNNING) {
      fetch();
      if (!feeding)
        next_unit();
    }
    drive_beat();
    top.m_axis_tready = 1;
    keys.drive();
    engine.drive();
    top.aclk = 0;
    top.eval();
    if (top.aresetn)
      sample();
    top.aclk = 1;
    top.eval();
    figures.cycles++;
  }

  template <typename Bus> void finish(Bus &bus)
  {
    for (uint64_t n = 0; bus.busy(); n++) {
      if (n == MOST_CYCLES)
        throw BridgeError("the engine does not answer an access");
      cycle();
    }
    awake = std::max(awake, figures.cycles + ACCESS_CYCLES);
  }

  uint32_t read_dma(uint32_t at)
  {
    switch (at) {
    case ID:
      return 0x616d6477;
    case VERSION:
      return 1 << 16;
    case CAPS:
      return BEAT | MOST_JOBS << 16 | WINDOWS << 24;
    case STATUS:
      return status | reg(STATUS) << 8;
    default:
      return at < REGISTERS_END ? reg(at) : 0;
    }
  }

  void write_dma(uint32_t at, uint32_t value)
  {
    if (at == CONTROL && value & 2) {
      halt(STOP);
    } else if (at == CONTROL && value & 1 && status == IDLE && top.ready) {
      status = RUNNING;
      reg(STATUS) = NONE;
      fetched = completed = 0;
    } else if (at == IRQ_STATUS) {
      reg(at) &= ~value;
    } else if (at == DOORBELL || at == IRQ_ENABLE || (at < REGISTERS_END && at > STATUS && status == IDLE)) {
      reg(at) = value;
    }
  }

  bool busy() const
  {
    return !jobs.empty() || !inside.empty() || feeding || !top.ready || status == STOPPING ||
           (status == RUNNING && fetched != registers[DOORBELL / 4] % (1u << registers[RING / 4])) ||
           figures.cycles < awake;
  }
};

Accelerator::Accelerator(const GuestMemory &memory) : state(std::make_unique<State>(memory, figures)) {}

Accelerator::~Accelerator() = default;

uint32_t Accelerator::read(uint32_t address)
{
  if (address >= DMA)
    return state->read_dma(address - DMA);
  if (address >= ENGINE) {
    state->engine.begin_read(address - ENGINE);
    state->finish(state->engine);
    return state->engine.result();
  }
  for (uint64_t n = 0; n < READ_CYCLES && figures.cycles < state->awake; n++)
    state->cycle();
  state->keys.begin_read(address);
  state->finish(state->keys);
  return state->keys.result();
}

void Accelerator::write(uint32_t address, uint32_t value)
{
  if (address >= DMA) {
    state->write_dma(address - DMA, value);
  } else if (address >= ENGINE) {
    state->engine.begin_write(address - ENGINE, value);
    state->finish(state->engine);
    state->awake = std::max(state->awake, figures.cycles + ENGINE_CYCLES);
  } else {
    state->keys.begin_write(address, value);
    state->finish(state->keys);
    if (address == KEY_CTRL && value & EXE) {
      figures.commands++;
      state->awake = figures.cycles + COMMAND_CYCLES;
    }
  }
}

void Accelerator::run(unsigned cycles)
{
  for (unsigned n = 0; n < cycles && busy(); n++)
    state->cycle();
}

bool Accelerator::busy() const
{
  return state->busy();
}

bool Accelerator::interrupt() const
{
  return state->top.irq || state->registers[IRQ_STATUS / 4] & state->registers[IRQ_ENABLE / 4];
}
