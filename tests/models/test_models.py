#!/usr/bin/env python3
"""Has spin look through every order of steps of the models in this folder, and proves that it would
see a fault: each model with a fault planted has to fail, and for its reason."""
import os

from spin_model import HERE, IS_LONG, Model, main

INCLUDE = os.path.join(HERE, "..", "..", "include", "lockstep")


class Team(Model):
    model = "team.pml"
    level = "-O1"
    small = ("WORKERS=1", "TICKS=2")

    def test_holds_for_one_worker_and_three_ticks(self):
        self.holds("WORKERS=1", "TICKS=3")

    def test_holds_for_two_workers(self):
        self.holds("WORKERS=2", "TICKS=2" if IS_LONG else "TICKS=1")

    def test_finds_a_caller_that_does_not_wait_for_those_inside(self):
        self.fails("LEAVES_AT_ONCE", "assertion violated is_alive")

    def test_finds_a_lost_wake_up(self):
        self.fails("LOOKS_BEFORE_SAYING", "invalid end state")

    def test_finds_a_tied_system_on_a_worker(self):
        self.fails("ANYBODY_TAKES_TIED", "assertion violated (who==0)")

    def test_finds_a_system_that_ends_before_its_last_page(self):
        self.fails("DONE_BEFORE_RUN", "assertion violated (run_pages==2)")


class Joining(Model):
    model = "joining.pml"

    def test_holds_within_the_limits_of_the_program(self):
        limits = (f"AUTHS={limit('LS_CLIENT_AUTHS_PER_S')}", f"KEPT={limit('LS_CLIENT_COOKIES')}",
                  f"UNCONFIRMED_PART={limit('LS_SERVER_UNCONFIRMED_PART')}")
        self.holds(*limits)
        self.holds("RESUMES", *limits)

    def fails(self, fault, reason):
        """A fault delays or ends a join and a resume."""
        super().fails(fault, reason)
        self.fails_to_resume(fault, reason)

    def fails_to_resume(self, fault, reason):
        said = self.search("RESUMES", f"FAULT_{fault}")
        self.assertIn("errors: 1", said)
        self.assertIn(reason, said)

    def test_more_cookies_than_the_limits_delay_the_client(self):
        said = self.search("AUTHS=3", "KEPT=2", "INJECTIONS=5")
        self.assertIn("assertion violated (period<", said)

    def test_finds_a_cookie_that_is_not_bound_to_the_hello(self):
        self.fails("COOKIE_OF_ANY_HELLO", "assertion violated (period<")

    def test_finds_a_client_that_tries_one_cookie(self):
        self.fails("FIRST_COOKIE_WINS", "assertion violated (period<")

    def test_finds_a_foreign_cookie_that_changes_the_keys(self):
        self.fails("FOREIGN_COOKIE_DRAWS", "assertion violated (period<")

    def test_finds_a_refusal_that_counts_at_once(self):
        self.fails("REJECT_AT_ONCE", "assertion violated (step==")

    def test_finds_seats_that_are_held_without_a_confirm(self):
        super().fails("UNCONFIRMED_UNLIMITED", "assertion violated (period<")

    def test_finds_attempts_that_share_their_auths(self):
        self.fails_to_resume("ATTEMPTS_SHARE_AUTHS", "assertion violated (period<")

    def test_finds_a_former_secret_that_is_forgotten(self):
        self.fails_to_resume("FORMER_SECRET_FORGOTTEN", "assertion violated (shown==right)")


class Handshake(Model):
    model = "handshake.pml"
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

    def fails_for(self, learned, fault, reason):
        self.small = (f"LEARNED={learned}",)
        self.fails(fault, reason)

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

    def test_finds_an_ephemeral_that_serves_two_attempts(self):
        self.small = ("LEARNED=CLIENT_EPHEMERAL_AND_PASSWORD", "ALLOWS_SERVER", "ALLOWS_CONSENT", "ALLOWS_END",
                      "ALLOWS_PATH")
        self.fails("EPHEMERAL_STAYS", "||(key[one]==bare))")

    def test_finds_a_renewal_that_signs_the_same_key(self):
        self.fails_for("OLD_S", "RENEWAL_KEEPS_S", "assertion violated (era<3)")

    def test_finds_an_expiry_that_is_not_checked(self):
        self.fails_for("OLD_S", "EXPIRY_UNCHECKED", "assertion violated (era<3)")

    def test_finds_an_auth_that_counts_twice(self):
        self.fails_for("NOTHING", "AUTH_COUNTS_TWICE", "(has_connected[each]||")

    def test_finds_a_connect_that_counts_twice(self):
        self.fails_for("NOTHING", "CONNECT_COUNTS_TWICE", "assertion violated (sessions[one]<=1)")

    def test_finds_a_seat_that_an_auth_takes(self):
        self.fails_for("NOTHING", "AUTH_TAKES_THE_SEAT", "assertion violated confirmed[grants]")

    def test_finds_a_cookie_for_any_address(self):
        self.fails_for("BLIND", "COOKIE_WITHOUT_ADDRESS", "||(1==0))")

    def test_finds_a_secret_that_is_not_compared_at_the_confirm(self):
        self.fails_for("RESUME_SECRET", "SECRET_NOT_COMPARED", "assertion violated (uses[old_secret[one]]<=1)")

    def test_finds_a_secret_that_works_twice(self):
        self.fails_for("RESUME_SECRET", "SECRET_STAYS", "assertion violated (uses[old_secret[one]]<=1)")

    def test_finds_a_session_that_moves_without_an_answer(self):
        self.fails_for("NOTHING", "MOVES_AT_ONCE", "||is_relayed)")

    def test_finds_a_question_that_outlives_its_session(self):
        self.fails_for("NOTHING", "QUESTION_OUTLIVES_SESSION", "||is_relayed)")

    def test_finds_an_answer_that_a_stranger_does_not_give(self):
        self.small = ("LEARNED=CARRIER", "ALLOWS_PATH")
        self.fails("TOKEN_IS_GUESSED", "assertion violated (used!=3)")


class Carrier(Model):
    model = "carrier.pml"
    small = ("DATAGRAMS=6",)

    def test_holds(self):
        self.holds("DATAGRAMS=10" if IS_LONG else "DATAGRAMS=7")

    def test_finds_a_replay_that_jumps_the_window_of_enet(self):
        self.fails("NO_COUNTER", "||has_passed)")

    def test_finds_replays_that_use_up_a_budget(self):
        self.fails("REPLAYS_ARE_CHARGED", "assertion violated (charged[counter]<=1)")

    def test_finds_a_forgery_that_moves_the_window(self):
        self.fails("WINDOW_BEFORE_CODE", "||has_passed)")

    def test_finds_one_key_for_both_directions(self):
        self.fails("ONE_KEY", "(has_passed)&&(charged[counter]==before)")

    def test_finds_keys_that_outlive_their_session(self):
        self.fails("KEYS_STAY", "(has_passed)&&(charged[counter]==before)")


class Path(Model):
    model = "path.pml"
    small = ("DATAGRAMS=3",)

    def test_holds(self):
        self.holds("DATAGRAMS=3" if IS_LONG else "DATAGRAMS=2")

    def test_finds_a_move_without_a_challenge(self):
        self.fails("MOVES_AT_ONCE", "assertion violated ((used!=2)||relayed)")

    def test_finds_an_old_counter_that_asks(self):
        self.fails("OLD_COUNTER_ASKS", "assertion violated is_newest")

    def test_finds_one_token_for_both_addresses(self):
        self.fails("ONE_TOKEN", "assertion violated (used!=3)")

    def test_finds_an_answer_from_any_address(self):
        self.fails("ANSWER_FROM_ANYWHERE", "assertion violated ((used!=2)||relayed)")


class Egress(Model):
    model = "egress.pml"

    def test_holds(self):
        self.holds("STEPS=6" if IS_LONG else "STEPS=3")

    def test_finds_a_server_without_budgets(self):
        self.fails("NO_BUDGET", "assertion violated (to_session<=")

    def test_finds_a_session_without_a_budget(self):
        self.fails("NO_BUDGET_OF_A_SESSION", "assertion violated (to_session<=")

    def test_finds_a_host_without_a_budget(self):
        self.fails("NO_BUDGET_OF_A_HOST", "assertion violated (to_host<=")

    def test_finds_a_server_without_a_budget_of_its_own(self):
        self.fails("NO_BUDGET_OF_THE_SERVER", "assertion violated (by_server<=")

    def test_finds_a_host_that_connects_again_for_a_new_budget(self):
        self.fails("HOST_IS_FORGOTTEN", "assertion violated (to_host<=")

    def test_finds_ticks_that_are_not_charged(self):
        self.fails("TICKS_ARE_FREE", "assertion violated (by_server<=")

    def test_finds_a_refused_chunk_that_is_charged(self):
        self.fails("REFUSED_CHUNK_IS_CHARGED", "assertion violated (before==")


def limit(name):
    """A limit of the program, from its header."""
    for header in ("limits.h", "conduct_limits.h"):
        with open(os.path.join(INCLUDE, header), encoding="utf-8") as file:
            for line in file:
                words = line.split()
                if words[:2] == ["#define", name]:
                    return int(words[2])
    raise KeyError(name)


if __name__ == "__main__":
    main()
