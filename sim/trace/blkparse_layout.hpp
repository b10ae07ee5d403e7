// Lines that blkparse prints by a format of the user's, given to its options -f and -F.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace x25sim::trace {

// What a line says of an event; views into the line. Empty: not printed.
struct BlkparseEvent {
  std::string device;  // "major,minor"; empty without a device
  std::string_view action;
  std::string_view rwbs;
  std::string_view sector;
  std::string_view sectors;
  std::string_view bytes;
  std::string_view seconds;
  std::string_view nanoseconds;
};

class BlkparseLayout {
 public:
  // `arguments` is what blkparse -f was given, or "A,FORMAT" for -F, which says how lines of the
  // action A look while the others are in the default layout. A format has blkparse's conversions
  // (%a %c %C %d %D %e %g %m %M %n %N %p %P %s %S %t %T %u %U %z, with or without a width), the
  // escapes \n \r \t, and text. It must print a request: %S, one of %n and %N, %d and %T; %t, if
  // the fraction of the time is to be more than 0. %u is the time that a request took, and of no
  // use here. Throws InputError for a format that is none or does not print these.
  explicit BlkparseLayout(const std::string& arguments);

  // Whether `text`, a line without blanks around it, looks so; `event` is then what it says.
  // Blanks in the format stand for any number of them, so that widths do not matter. A string that
  // may hold anything (%C, %P) goes as far as the rest of the format allows.
  bool match(std::string_view text, BlkparseEvent& event) const;

  // Whether only lines of one action look so.
  bool only_of_action() const { return action_.has_value(); }
  const std::string& format() const { return format_; }

 private:
  struct Part {
    char conversion = 0;  // 0: literal text
    std::string text;
  };

  void compile();
  void require(std::string_view letters, std::string_view what) const;
  bool has(char conversion) const;
  // By part that may hold anything: how many of the line's ends, from the empty one on, do not fit
  // what stands behind the part. They are not looked at again, or the time for a line would be its
  // length to the power of the number of such parts.
  using Refuted = std::vector<std::size_t>;
  bool match_from(std::size_t part, std::string_view text, BlkparseEvent& event,
                  Refuted& refuted) const;
  bool match_anything(std::size_t part, std::string_view text, BlkparseEvent& event,
                      Refuted& refuted) const;

  std::optional<char> action_;
  std::string format_;
  std::vector<Part> parts_;
};

}  // namespace x25sim::trace
