#include "strategies/selection.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace thalweg::strategies {
namespace {

std::string refusal_of(std::string_view text) {
  try {
    parse_selections(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Selection, ReadsOperationsStrategiesAndNative) {
  const auto selections = parse_selections(" alltoall=direct ; allreduce=native;;");
  ASSERT_EQ(selections.size(), 2U);
  EXPECT_EQ(selections[0].operation, Operation::alltoall);
  EXPECT_EQ(selections[0].strategy, &find(Operation::alltoall, "direct"));
  EXPECT_EQ(selections[1].operation, Operation::allreduce);
  EXPECT_EQ(selections[1].strategy, nullptr);
}

TEST(Selection, ReadsEveryParameterOfEveryStrategyAtItsLimits) {
  for (const Strategy& strategy : all())
    for (const Parameter& parameter : strategy.parameters)
      for (const std::int64_t value : {parameter.least, parameter.standard, parameter.most}) {
        const std::string text = parameter.kind == ParameterKind::choice
                                     ? std::string(parameter.choices.at(static_cast<std::size_t>(value)))
                                     : std::to_string(value);
        const auto selection = parse_selection(schedule::name(strategy.operation),
                                               std::string(strategy.name) + ":" + std::string(parameter.name) + "=" + text);
        EXPECT_NE(std::ranges::find(selection.parameters, std::pair{std::string(parameter.name), value}),
                  selection.parameters.end());
      }
}

TEST(Selection, RefusesWithWhatIsKnown) {
  EXPECT_NE(refusal_of("alltoal=direct").find("no operation 'alltoal'; choose one of barrier, broadcast"), std::string::npos);
  EXPECT_NE(refusal_of("alltoall=dirct").find("no strategy 'dirct' for alltoall; did you mean direct"), std::string::npos);
  EXPECT_EQ(refusal_of("alltoall"), "'alltoall' cannot be understood; write operation=strategy[:parameter=value,...]");
  EXPECT_EQ(refusal_of("alltoall=direct:speed"), "'speed' cannot be understood; write parameter=value");
  EXPECT_EQ(refusal_of("alltoall=native:radix=2"), "alltoall native takes no parameters; leave out ':radix=2'");
  EXPECT_EQ(refusal_of("barrier=native;barrier=native"), "barrier is selected twice; select one strategy for each operation");
  EXPECT_NE(refusal_of("alltoall=direct:color=red").find("has no parameter 'color'"), std::string::npos);
}

} // namespace
} // namespace thalweg::strategies
