# Shared by the scripts in cross/ and board/: messages, the cache, the Swift toolchain and the three targets.
# Sourced, not run. Sets ROOT (the checkout) and CACHE.
# shellcheck shell=bash disable=SC2034  # who sources it uses what it sets

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
CACHE=${SKYGLOW_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/skyglow}
export LC_ALL=C.UTF-8

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() {
    say "$*"
    exit "${STATUS:-1}"
}
# A wrong command line: sysexits' EX_USAGE.
usage_error() { STATUS=64 die "$* (see --help)"; }

# Prints the comment at the top of the script that was run, without the marks: its help.
help() { awk 'NR == 1 { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "$0"; }

# A short name for what is on standard input.
digest() { sha256sum | cut -c1-16; }

# Holds the named lock until the script ends; other checkouts share the cache.
lock() {
    mkdir -p "$CACHE/locks"
    exec {lock_descriptor}>"$CACHE/locks/$1"
    flock -n "$lock_descriptor" && return
    say "waiting for another build that works on $1"
    flock "$lock_descriptor"
}
unlock() { exec {lock_descriptor}>&-; }

# Sets SWIFT_RESOURCES (…/usr/lib/swift) and SWIFT_TOOLS (…/usr/bin). The compiler is asked for its place, because
# `swift` may be a link or a version manager's stand-in.
find_swift() {
    local version
    command -v swift swiftc >/dev/null ||
        STATUS=69 die "Swift is not installed: swift and swiftc 6.3 must be in PATH (https://www.swift.org/install/linux)"
    version=$(swiftc --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
    case $version in
    6.3 | 6.3.*) ;;
    6.[4-9]* | 6.[1-9][0-9]*) say "warning: made for Swift 6.3, this is $version" ;;
    *) STATUS=69 die "Swift 6.3 is needed, $(command -v swift) is ${version:-of unknown version}" ;;
    esac
    SWIFT_RESOURCES=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')
    [[ -d $SWIFT_RESOURCES ]] || STATUS=69 die "cannot find the library directory of $(command -v swiftc)"
    SWIFT_TOOLS=$(cd "$SWIFT_RESOURCES/../../bin" && pwd -P)
}

TARGETS=(x86_64 arm64 armv6)

# Is product $1 there, and none of the files and directories after it newer?
fresh() {
    [[ -e $1 && -z $(find "${@:2}" -newer "$1" -print -quit) ]]
}
# Is the board's binary $1 made of the sources as they are?
is_current() {
    [[ -x $1 ]] && fresh "$1" "$ROOT"/{Sources,Package.swift,cross/{build,check,sdk,sysroot,lib.sh}}
}

# Sets for target $1: ARCHITECTURE (Debian's name), TRIPLE (what Swift compiles for; the ARM modules exist only for the
# bare triples) and GNU (what is linked).
describe_target() {
    case $1 in
    x86_64) ARCHITECTURE=amd64 TRIPLE=x86_64-unknown-linux-gnu GNU=x86_64-linux-gnu ;;
    arm64) ARCHITECTURE=arm64 TRIPLE=aarch64-none-none-elf GNU=aarch64-linux-gnu ;;
    armv6) ARCHITECTURE=armel TRIPLE=armv6-none-none-eabi GNU=arm-linux-gnueabi ;;
    *) usage_error "unknown target $1: one of ${TARGETS[*]}" ;;
    esac
}
