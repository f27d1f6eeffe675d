# SPDX-License-Identifier: BSD-3-Clause
# find_package(evenkeel) defines
#   evenkeel::shared     the shared library
#   evenkeel::static     the static library, with the libraries that it needs
#   evenkeel::evenkeel   the shared one
include(${CMAKE_CURRENT_LIST_DIR}/evenkeelTargets.cmake)
