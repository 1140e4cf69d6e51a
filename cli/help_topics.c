#include "cli/help_topics.h"

static const char start[] =
    "A match on this machine, in two terminals:\n\n"
    "  lockstep serve --sim skirmish --record recordings\n"
    "  lockstep join HOST:PORT#KEY --bots 2\n\n"
    "HOST:PORT#KEY is what the server prints first. Ctrl+C in the first terminal ends\n"
    "the match in order. Then look at its recording, and prove it:\n\n"
    "  lockstep watch recordings/skirmish-*.lsr\n"
    "  lockstep verify recordings/skirmish-*.lsr\n";

static const char addresses[] =
    "A server prints `listening HOST:PORT#KEY`, and `lockstep join` takes that text.\n\n"
    "  HOST  a name, an IPv4 address, or an IPv6 address in brackets: [2001:db8::9]\n"
    "  PORT  the UDP port; 7777 if it is left out\n"
    "  KEY   the public key of the server, 43 characters. With it a client joins no\n"
    "        other server. Without it a client trusts the first key that it sees at\n"
    "        this address, and refuses another one later (--known-servers)\n\n"
    "A server on all interfaces prints 127.0.0.1: players of other machines need the\n"
    "address that leads to it, which `serve --address` names for connect tokens.\n"
    "Quote an address with '#' in a script; the shell takes ' #' for a comment.\n";

static const char configuration[] =
    "Each option of `lockstep serve` may be in a file, a variable, or on the command\n"
    "line. The command line comes first, then variables, then the file, then the\n"
    "default.\n\n"
    "  --config FILE          one `option = value` a line, under its long name;\n"
    "                         `option = yes` or `no` for an option without a value;\n"
    "                         lines that begin with # are comments\n"
    "  LOCKSTEP_SERVE_PORT    the same for --port, and so for each option; an option\n"
    "                         that may be repeated takes a value a line\n"
    "  LOCKSTEP_SERVE_CONFIG  the file\n\n"
    "`lockstep serve --print-config` prints what is in effect, as such a file. A\n"
    "running server takes keep-days, keep-bytes, keep-free and log-level from a\n"
    "changed file on SIGHUP or `lockstep admin reload`.\n";

static const char environment[] =
    "  LOCKSTEP_SERVE_...     an option of `serve`: `lockstep help configuration`\n"
    "  LOCKSTEP_SERVE_ADMIN   also the socket of `lockstep admin` and `lockstep top`\n"
    "  XDG_CONFIG_HOME, HOME  the folder of keys: `lockstep help files`\n"
    "  AGONES_SDK_HTTP_PORT   switches `serve --agones` on, unless it is empty\n"
    "  NOTIFY_SOCKET          where `serve` tells systemd that it is ready and alive\n"
    "  WATCHDOG_USEC          how often it tells that\n"
    "  TERM                   the terminal, for `watch` and `top`\n"
    "  NO_COLOR               switches colours of `watch` off, unless it is empty\n";

static const char files[] =
    "Keys, in $XDG_CONFIG_HOME/lockstep or ~/.config/lockstep, on Windows\n"
    "APPDATA\\lockstep:\n\n"
    "  identity       the server's key, unless --identity names another file\n"
    "  known_servers  keys of servers that `join` has seen (--known-servers)\n\n"
    "Recordings, in the folder of `serve --record`:\n\n"
    "  SIM-DATE-TIME-SEED.lsr  a match; parts after a disk failure are .1.lsr, .2.lsr\n"
    "  NAME.seats              hashes of secrets of its players, for --resume\n"
    "  NAME.desync-TICK        the ticks before a desync, and both sides' cells:\n"
    "                          `lockstep explain` finds the cause\n"
    "  NAME.bundle             a folder about a match that could not continue\n"
    "  NAME.restoring          exists while a server restores the match\n"
    "  NAME.lsr.poison         a match that crashed the simulation, set aside\n"
    "  .successor              the socket of a handover\n";

static const char signals[] =
    "`lockstep serve` takes these signals:\n\n"
    "  SIGTERM, SIGINT   end all matches in order; the second one ends the process\n"
    "                    at once\n"
    "  SIGHUP            reads token keys, bans, the HTTP token and --config again,\n"
    "                    and opens the log again\n"
    "  SIGUSR1           opens the log again, after another program has rotated it\n"
    "  SIGPIPE, SIGUSR2  are ignored\n\n"
    "`lockstep admin drain` and `lockstep admin reload` do the same without a signal.\n";

const ls_menu_topic ls_help_topics[LS_HELP_TOPICS] = {
    {"start", "the first match", start},
    {"addresses", "HOST:PORT#KEY", addresses},
    {"configuration", "the file and the variables of serve", configuration},
    {"environment", "all variables", environment},
    {"files", "the files that lockstep writes", files},
    {"signals", "the signals of serve", signals},
    {"exit-codes", "the exit codes of all commands", LS_HELP_EXIT_CODES},
};
