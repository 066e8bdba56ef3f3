// Errors about one message of a schedule. Code that knows where schedules come from finds its line by the
// name.
#pragma once

#include <string>

#include "model/error.h"
#include "model/schedule.h"

namespace flitscope {

/// A message breaks the schedule's own rules. `what()` says which, and what is wrong.
class IllegalMessage : public ScheduleError {
 public:
  IllegalMessage(MessageName message, const std::string& text) : ScheduleError(text), message_(message) {}

  [[nodiscard]] MessageName message() const { return message_; }

 private:
  MessageName message_;
};

/// A message in order that this machine cannot carry. `what()` says which, and why not.
class UncarriableMessage : public Inadmissible {
 public:
  /// `key` is the configuration path of what stands in the way, such as "router.routing".
  UncarriableMessage(std::string key, MessageName message, const std::string& text)
      : Inadmissible(std::move(key), text), message_(message) {}

  [[nodiscard]] MessageName message() const { return message_; }

 private:
  MessageName message_;
};

}  // namespace flitscope
