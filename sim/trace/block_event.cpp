#include "sim/trace/block_event.hpp"

#include <algorithm>
#include <array>

namespace x25sim::trace {

namespace {

struct ActionNotes {
  std::string_view letters;
  std::string_view taken;
  std::string_view passed_over;
};

constexpr std::array action_notes{
    ActionNotes{"Q", "requests as queued (action Q)", "events passed over: Q (queued)"},
    ActionNotes{"I", "requests as inserted (action I)", "events passed over: I (inserted)"},
    ActionNotes{"D", "requests as issued to the driver (action D)",
                "events passed over: D (issued)"},
    ActionNotes{"C", "requests as completed (action C)", "events passed over: C (completed)"},
    ActionNotes{"A", "", "events passed over: A (remapped)"},
    ActionNotes{"B", "", "events passed over: B (bounced)"},
    ActionNotes{"F", "", "events passed over: F (front merge)"},
    ActionNotes{"G", "", "events passed over: G (request allocated)"},
    ActionNotes{"M", "", "events passed over: M (back merge)"},
    ActionNotes{"P", "", "events passed over: P (plug)"},
    ActionNotes{"R", "", "events passed over: R (requeued)"},
    ActionNotes{"S", "", "events passed over: S (sleep)"},
    ActionNotes{"U", "", "events passed over: U (unplug)"},
    ActionNotes{"UT", "", "events passed over: UT (unplug by timer)"},
    ActionNotes{"T", "", "events passed over: T (unplug by timer)"},
    ActionNotes{"X", "", "events passed over: X (split)"},
    ActionNotes{"m", "", "events passed over: m (message)"},
};

const ActionNotes* notes_of(std::string_view letters) {
  const auto found =
      std::find_if(action_notes.begin(), action_notes.end(),
                   [letters](const ActionNotes& notes) { return notes.letters == letters; });
  return found == action_notes.end() ? nullptr : &*found;
}

}  // namespace

char letter_of(Action action) {
  switch (action) {
    case Action::queued: return 'Q';
    case Action::inserted: return 'I';
    case Action::issued: return 'D';
    case Action::completed: return 'C';
  }
  return '?';
}

std::string_view note_of_event(std::string_view action, bool taken) {
  const ActionNotes* const notes = notes_of(action);
  if (notes == nullptr) return "events passed over: of another kind";
  return taken ? notes->taken : notes->passed_over;
}

bool is_action(std::string_view letters) { return notes_of(letters) != nullptr; }

std::optional<RequestKind> request_kind(std::string_view rwbs) {
  const auto accept = [&rwbs](char letter) {
    if (!rwbs.starts_with(letter)) return false;
    rwbs.remove_prefix(1);
    return true;
  };
  if (rwbs.empty()) return std::nullopt;
  RequestKind request;
  const bool flush_first = accept('F');
  if (accept('R')) {
    request.kind = Kind::read;
  } else if (accept('W')) {
    request.kind = Kind::write;
  } else if (accept('D')) {
    request.kind = Kind::trim;
    accept('E');
  } else if (accept('N')) {
    request.kind = flush_first ? Kind::flush : Kind::other;
  } else if (flush_first) {
    request.kind = Kind::flush;
    accept('F');
  } else {
    return std::nullopt;
  }
  const bool durable = accept('F');
  for (const char letter : {'A', 'B', 'S', 'M'}) accept(letter);
  if (!rwbs.empty()) return std::nullopt;
  request.flush_first = flush_first && request.kind == Kind::write;
  request.durable = durable && request.kind == Kind::write;
  return request;
}

void set_request(Record& record, const RequestKind& kind, Bytes offset, Bytes length) {
  record.kind = kind.kind;
  record.flush_first = kind.flush_first;
  record.durable = kind.durable;
  if (kind.kind == Kind::write && kind.flush_first && length.count == 0) {
    record.kind = Kind::flush;
    record.flush_first = false;
    record.durable = false;
  }
  const bool without_data = record.kind == Kind::flush || length.count == 0;
  record.offset = without_data ? Bytes{0} : offset;
  record.length = without_data ? Bytes{0} : length;
}

std::string rwbs_of(const Record& record) {
  switch (record.kind) {
    case Kind::read: return record.length.count > 0 ? "R" : "N";
    case Kind::write:
      return std::string(record.flush_first ? "F" : "") + "W" + (record.durable ? "F" : "");
    case Kind::trim: return "D";
    case Kind::flush: return "FN";
    case Kind::other: break;
  }
  return "N";
}

}  // namespace x25sim::trace
