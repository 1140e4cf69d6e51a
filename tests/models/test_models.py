#!/usr/bin/env python3
"""Has spin look through every order of steps of the models in this folder, and proves that it would
see a fault: each model with a fault planted has to fail, and for its reason."""
import os

from spin_model import HERE, IS_LONG, Model, main

INCLUDE = os.path.join(HERE, "..", "..", "include", "lockstep")
PERIOD = "assertion violated (period<"


class Team(Model):
    model = "team.pml"
    level = "-O1"
    small = ("WORKERS=1", "TICKS=2")
    faults = {
        "LEAVES_AT_ONCE": "assertion violated is_alive",
        "LOOKS_BEFORE_SAYING": "invalid end state",
        "ANYBODY_TAKES_TIED": "assertion violated (who==0)",
        "DONE_BEFORE_RUN": "assertion violated (run_pages==2)",
    }

    def test_holds_for_one_worker_and_three_ticks(self):
        self.holds("WORKERS=1", "TICKS=3")

    def test_holds_for_two_workers(self):
        self.holds("WORKERS=2", "TICKS=2" if IS_LONG else "TICKS=1")

    def test_finds_each_fault(self):
        self.finds_all()


class Joining(Model):
    model = "joining.pml"
    faults = {
        "COOKIE_OF_ANY_HELLO": PERIOD,
        "FIRST_COOKIE_WINS": PERIOD,
        "FOREIGN_COOKIE_DRAWS": PERIOD,
        "REJECT_AT_ONCE": "assertion violated (step==",
        "UNCONFIRMED_UNLIMITED": PERIOD,
        "ATTEMPTS_SHARE_AUTHS": (PERIOD, "RESUMES"),
        "FORMER_SECRET_FORGOTTEN": ("assertion violated (shown==right)", "RESUMES"),
    }

    def test_holds_within_the_limits_of_the_program(self):
        limits = (f"AUTHS={limit('LS_CLIENT_AUTHS_PER_S')}", f"KEPT={limit('LS_CLIENT_COOKIES')}",
                  f"UNCONFIRMED_PART={limit('LS_SERVER_UNCONFIRMED_PART')}")
        self.holds(*limits)
        self.holds("RESUMES", *limits)

    def test_more_cookies_than_the_limits_delay_the_client(self):
        said = self.search("AUTHS=3", "KEPT=2", "INJECTIONS=5")
        self.assertIn("assertion violated (period<", said)

    def test_finds_each_fault_that_also_delays_a_resume(self):
        self.small = ("RESUMES",)
        for fault in ("COOKIE_OF_ANY_HELLO", "FIRST_COOKIE_WINS", "FOREIGN_COOKIE_DRAWS", "REJECT_AT_ONCE"):
            self.fails(fault, self.faults[fault])

    def test_finds_each_fault(self):
        self.finds_all()


class Handshake(Model):
    model = "handshake.pml"
    faults = {
        "EPHEMERAL_STAYS": ("||(key[one]==bare))", "LEARNED=CLIENT_EPHEMERAL_AND_PASSWORD", "ALLOWS_SERVER",
                            "ALLOWS_CONSENT", "ALLOWS_END", "ALLOWS_PATH"),
        "RENEWAL_KEEPS_S": ("assertion violated (era<3)", "LEARNED=OLD_S"),
        "EXPIRY_UNCHECKED": ("assertion violated (era<3)", "LEARNED=OLD_S"),
        "AUTH_COUNTS_TWICE": ("(has_connected[each]||", "LEARNED=NOTHING"),
        "CONNECT_COUNTS_TWICE": ("assertion violated (sessions[one]<=1)", "LEARNED=NOTHING"),
        "AUTH_TAKES_THE_SEAT": ("assertion violated confirmed[grants]", "LEARNED=NOTHING"),
        "COOKIE_WITHOUT_ADDRESS": ("||(1==0))", "LEARNED=BLIND"),
        "SECRET_NOT_COMPARED": ("assertion violated (uses[old_secret[one]]<=1)", "LEARNED=RESUME_SECRET"),
        "SECRET_STAYS": ("assertion violated (uses[old_secret[one]]<=1)", "LEARNED=RESUME_SECRET"),
        "MOVES_AT_ONCE": ("||is_relayed)", "LEARNED=NOTHING"),
        "QUESTION_OUTLIVES_SESSION": ("||is_relayed)", "LEARNED=NOTHING"),
        "TOKEN_IS_GUESSED": ("assertion violated (used!=3)", "LEARNED=CARRIER", "ALLOWS_PATH"),
    }

    def holds_for(self, learned, *allowed):
        definitions = (f"LEARNED={learned}", *(f"ALLOWS_{one}" for one in allowed))
        self.holds("GRANTS=2", *definitions)
        if IS_LONG:
            self.holds("GRANTS=3", "STAYS", *definitions)

    def breaks(self, learned, reason, *allowed):
        """What is learned breaks a property besides those that are allowed to break."""
        said = self.search(f"LEARNED={learned}", *(f"ALLOWS_{one}" for one in allowed))
        self.assertIn("errors: 1", said)
        self.assertIn(reason, said)

    def test_holds_for_an_attacker_on_the_path(self):
        self.holds_for("NOTHING")

    def test_holds_for_an_attacker_beside_the_path(self):
        self.holds_for("BLIND")

    def test_holds_for_the_keys_of_a_past_session(self):
        self.holds_for("PAST_SESSION")

    def test_holds_for_the_password(self):
        self.holds_for("PASSWORD")

    def test_holds_for_the_key_of_an_old_certificate(self):
        self.holds_for("OLD_S")

    def test_holds_for_a_resume_secret(self):
        self.holds_for("RESUME_SECRET")

    def test_keys_of_the_carrier_move_their_session_alone(self):
        """To the attacker's address, never to a stranger's. The next session is safe; the seat stays the client's."""
        self.breaks("CARRIER", "||is_relayed)")
        self.holds_for("CARRIER", "PATH")

    def test_keys_of_the_session_end_or_move_it_alone(self):
        """As the keys of the carrier, and a BYE. The next session is safe; the resume secret stays the client's."""
        self.breaks("SESSION", "assertion violated  !(knows_seals)", "PATH")
        self.breaks("SESSION", "||is_relayed)", "END")
        self.holds_for("SESSION", "PATH", "END")

    def test_the_cookie_secret_revives_a_recorded_auth(self):
        """It holds a seat again until the server's patience ends, and nothing more."""
        self.breaks("COOKIE_SECRET", "(has_connected[each]||")
        self.holds_for("COOKIE_SECRET", "ONCE")

    def test_the_cookie_secret_lets_a_blind_attacker_ask_for_another_address(self):
        """It gets grants there, and no session."""
        self.breaks("BLIND_COOKIES", "||(1==0))")
        self.holds_for("BLIND_COOKIES", "ADDRESS")

    def test_the_identity_alone_gives_nothing_without_the_password(self):
        self.holds_for("IDENTITY")

    def test_the_identity_and_the_password_make_a_false_server(self):
        """It deceives who asks it, and learns the resume secrets that are shown to it; the true server stays safe."""
        self.breaks("IDENTITY_AND_PASSWORD", "assertion violated  !(trusts_forged)")
        self.holds_for("IDENTITY_AND_PASSWORD", "SERVER")

    def test_the_matchmakers_key_lets_in_and_gives_seats_of_others(self):
        """Nothing else: the server is not impersonated, no session begins or moves without its client."""
        self.breaks("MATCHMAKER", "((learned!=")
        self.breaks("MATCHMAKER", "||leaked[old_secret[one]])", "PASSWORD")
        self.holds_for("MATCHMAKER", "PASSWORD", "THEFT")

    def test_the_ephemeral_of_a_client_gives_nothing_without_the_password(self):
        self.holds_for("CLIENT_EPHEMERAL")

    def test_the_ephemeral_and_the_password_give_that_attempt(self):
        """Its session, and the resume secrets in its messages. The next attempt has a key of its own."""
        known, given = "CLIENT_EPHEMERAL_AND_PASSWORD", ("SERVER", "CONSENT", "END", "PATH")
        for one, reason in (("SERVER", "(attempt==bare)"), ("CONSENT", "assertion violated confirmed["),
                            ("END", "(key[holder]==bare)"), ("PATH", "||is_relayed)")):
            self.breaks(known, reason, *(other for other in given if other != one))
        self.holds("GRANTS=2", f"LEARNED={known}", *(() if IS_LONG else ("STAYS",)), *(f"ALLOWS_{one}" for one in given))

    def test_finds_each_fault(self):
        self.finds_all()


class Carrier(Model):
    model = "carrier.pml"
    small = ("DATAGRAMS=6",)
    faults = {
        "NO_COUNTER": "||has_passed)",
        "REPLAYS_ARE_CHARGED": "assertion violated (charged[counter]<=1)",
        "WINDOW_BEFORE_MAC": "||has_passed)",
        "ONE_KEY": "(has_passed)&&(charged[counter]==before)",
        "KEYS_STAY": "(has_passed)&&(charged[counter]==before)",
    }

    def test_holds(self):
        self.holds("DATAGRAMS=10" if IS_LONG else "DATAGRAMS=7")

    def test_finds_each_fault(self):
        self.finds_all()


class Path(Model):
    model = "path.pml"
    small = ("DATAGRAMS=3",)
    faults = {
        "MOVES_AT_ONCE": "assertion violated ((used!=2)||relayed)",
        "OLD_COUNTER_ASKS": "assertion violated is_newest",
        "ONE_TOKEN": "assertion violated (used!=3)",
        "ANSWER_FROM_ANYWHERE": "assertion violated ((used!=2)||relayed)",
    }

    def test_holds(self):
        self.holds("DATAGRAMS=3" if IS_LONG else "DATAGRAMS=2")

    def test_finds_each_fault(self):
        self.finds_all()


class Egress(Model):
    model = "egress.pml"
    faults = {
        "NO_BUDGET": "assertion violated (to_session<=",
        "NO_BUDGET_OF_A_SESSION": "assertion violated (to_session<=",
        "NO_BUDGET_OF_A_HOST": "assertion violated (to_host<=",
        "NO_BUDGET_OF_THE_SERVER": "assertion violated (by_server<=",
        "HOST_IS_FORGOTTEN": "assertion violated (to_host<=",
        "TICKS_ARE_FREE": "assertion violated (by_server<=",
        "REFUSED_CHUNK_IS_CHARGED": "assertion violated (before==",
    }

    def test_holds(self):
        self.holds("STEPS=6" if IS_LONG else "STEPS=3")

    def test_finds_each_fault(self):
        self.finds_all()


def limit(name):
    """A limit of the program, from its header."""
    for header in ("limits.h", "session_limits.h"):
        with open(os.path.join(INCLUDE, header), encoding="utf-8") as file:
            for line in file:
                words = line.split()
                if words[:2] == ["#define", name]:
                    return int(words[2])
    raise KeyError(name)


if __name__ == "__main__":
    main()
