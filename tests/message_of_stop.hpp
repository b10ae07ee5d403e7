// For tests of what stops the program.
#pragma once

#include <csignal>
#include <cstdio>
#include <doctest/doctest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace x25sim::test {

// What `action` prints to standard error before it stops the program; empty if it does not stop.
template <typename Action>
std::string message_of_stop(Action action) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  std::fflush(nullptr);  // or the child would print what is buffered once more
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    std::signal(SIGABRT, SIG_DFL);
    action();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[512];
  for (ssize_t size; (size = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? text : std::string{};
}

}  // namespace x25sim::test
