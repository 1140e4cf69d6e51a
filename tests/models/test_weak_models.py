#!/usr/bin/env python3
"""Has spin look for orders of memory that the threads of an executor, of a job pool and of a page table do not
survive, and proves that it would see a memory order that is too weak: each one planted has to fail, and for its
reason. Compares the orders of the models with those of the program."""
import os
import re
import unittest

import orders
from spin_model import HERE, IS_LONG, Model, main

NOT_PUBLISHED = "assertion violated is_published"
IN_USE = "assertion violated is_free"
RUNS_TWICE = "assertion violated  !(has_run["
BEGINS_TWICE = "assertion violated  !(begun["
NEW_LIVES = "assertion violated  !(is_alive)"
OLD_IS_DEAD = "assertion violated is_alive"
SLEEPS_ON = "assertion violated ( !(asleep[at])"
NEVER_ENDS = "invalid end state"


class Weak(Model):
    level = "-O1"


class Team(Weak):
    model = "weak_team.pml"
    faults = {
        "OPENS_RELAXED": NOT_PUBLISHED,
        "OPENS_WITH_RELEASE": SLEEPS_ON,
        "ENTERS_RELAXED": NOT_PUBLISHED,
        "LEAVES_RELAXED": IN_USE,
        "CLOSES_RELAXED": IN_USE,
        "COUNTS_SLEEPERS_RELAXED": NEVER_ENDS,
        "LOOKS_FOR_SLEEPERS_RELAXED": NEVER_ENDS,
        "SLEEPS_AFTER_A_RELAXED_LOOK": NEVER_ENDS,
        "STOPS_WITH_RELEASE": NEVER_ENDS,
        "WAKES_BEFORE_IT_OPENS": SLEEPS_ON,
    }

    def test_holds_for_one_worker(self):
        self.holds("WORKERS=1", "TICKS=3")

    def test_holds_for_two_workers(self):
        self.holds("WORKERS=2", "TICKS=2" if IS_LONG else "TICKS=1")

    def test_finds_each_order_that_is_too_weak(self):
        self.finds_all()


class Queue(Weak):
    model = "weak_queue.pml"
    faults = {
        "POSTS_READY_RELAXED": NOT_PUBLISHED,
        "TAKES_RELAXED": NOT_PUBLISHED,
        "POSTS_OPEN_RELAXED": NOT_PUBLISHED,
        "JOINS_RELAXED": NOT_PUBLISHED,
        "COUNTS_PREDECESSORS_WITH_RELEASE": NOT_PUBLISHED,
        "COUNTS_PREDECESSORS_WITH_ACQUIRE": NOT_PUBLISHED,
        "COUNTS_PAGES_WITH_RELEASE": NOT_PUBLISHED,
        "COUNTS_PAGES_WITH_ACQUIRE": NOT_PUBLISHED,
        "ENDS_RELAXED": NOT_PUBLISHED,
        "RETURNS_RELAXED": NOT_PUBLISHED,
        "OPENS_BEFORE_IT_SETS_NEXT": RUNS_TWICE,
        "CLAIMS_IN_TWO_STEPS": RUNS_TWICE,
        "TAKES_WHAT_IT_SAW": BEGINS_TWICE,
    }

    def test_holds(self):
        self.holds("PAGES=3" if IS_LONG else "PAGES=2")

    def test_finds_each_order_that_is_too_weak(self):
        self.finds_all()


class Loop(Weak):
    model = "weak_loop.pml"
    faults = {
        "TAKES_RELAXED": NOT_PUBLISHED,
        "COUNTS_RELAXED": NOT_PUBLISHED,
        "OWNS_RELAXED": IN_USE,
        "OFFERS_RELAXED": NOT_PUBLISHED,
        "WAITS_RELAXED": NOT_PUBLISHED,
        "GIVES_UP_RELAXED": IN_USE,
        "TAKES_WHAT_IT_SAW": RUNS_TWICE,
        "DOES_NOT_WAIT": NOT_PUBLISHED,
    }

    def test_holds(self):
        self.holds("LOOPS=2")

    def test_holds_with_a_helper(self):
        self.holds("HELPERS=1")

    def test_finds_each_order_that_is_too_weak(self):
        self.finds_all()


class Jobs(Weak):
    model = "weak_jobs.pml"
    faults = {
        "FINISHES_RELAXED": (IN_USE, "JOBS=1"),
        "IS_FINISHED_RELAXED": (IN_USE, "JOBS=1"),
        "RAISES_RELAXED": (NEVER_ENDS, "JOBS=1"),
        "RAISES_BY_A_STORE": (NEVER_ENDS, "JOBS=1"),
        "RAISES_BEFORE_IT_FINISHES": (NEVER_ENDS, "JOBS=1"),
        "LOWERS_RELAXED": (NEVER_ENDS, "JOBS=1"),
        "RINGS_RELAXED": (NEVER_ENDS, "JOBS=1"),
        "RINGS_BEFORE_IT_RAISES": (NEVER_ENDS, "JOBS=1"),
        "CLEARS_RELAXED": (NEVER_ENDS, "JOBS=1"),
        "CLEARS_BY_A_STORE": (NEVER_ENDS, "JOBS=1"),
        "DISCARDS_RELAXED": (IN_USE, "JOBS=1"),
        "TAKES_DISCARDED_RELAXED": (IN_USE, "JOBS=1"),
        "WRITES_AFTER_IT_SUBMITS": (IN_USE, "JOBS=1"),
        "FINISHES_WITHOUT_THE_MUTEX": (IN_USE, "JOBS=1"),
        "FREES_AT_ONCE": (IN_USE, "JOBS=1"),
        "LEAVES_THE_JOB_QUEUED": (RUNS_TWICE, "JOBS=1"),
        "STOPS_WITHOUT_A_WAKE": (NEVER_ENDS, "JOBS=1"),
        "ABANDONED_JOBS_STAY_QUEUED": (IN_USE, "ABANDONS"),
        "LOST_JOBS_FINISH": (IN_USE, "ABANDONS"),
    }

    def test_holds(self):
        self.holds("ROUNDS=3" if IS_LONG else "ROUNDS=2")

    def test_holds_while_slow_threads_are_replaced(self):
        self.holds("REPLACES", "ROUNDS=2" if IS_LONG else "ROUNDS=1")

    def test_holds_while_jobs_are_abandoned(self):
        self.holds("ABANDONS")

    def test_finds_each_order_that_is_too_weak(self):
        self.finds_all()


class Table(Weak):
    model = "weak_table.pml"
    faults = {
        "SETS_DIRECTORY_RELAXED": NOT_PUBLISHED,
        "READS_DIRECTORY_RELAXED": NOT_PUBLISHED,
        "SETS_PAGE_RELAXED": NOT_PUBLISHED,
        "READS_PAGE_RELAXED": NOT_PUBLISHED,
        "SETS_EPOCH_RELAXED": OLD_IS_DEAD,
        "READS_EPOCH_RELAXED": OLD_IS_DEAD,
        "SETS_LIFE_RELAXED": NEW_LIVES,
        "READS_LIFE_RELAXED": NEW_LIVES,
        "SETS_BEFORE_IT_COPIES": NEW_LIVES,
        "NOTES_AFTER_IT_SPAWNS": NEW_LIVES,
        "CLEARS_AFTER_THE_EPOCH": OLD_IS_DEAD,
        "REUSES_AT_ONCE": IN_USE,
    }

    def test_holds(self):
        self.holds()

    def test_finds_each_order_that_is_too_weak(self):
        self.finds_all()


def read(source):
    with open(os.path.join(HERE, "..", "..", source), encoding="utf-8") as file:
        return file.read()


class Orders(unittest.TestCase):
    """The models have the memory orders of the program."""
    models = {one.model: read(f"tests/models/{one.model}") for one in (Team, Queue, Loop, Jobs, Table)}

    def test_the_models_have_those_of_the_program(self):
        self.assertEqual(set(self.models), {name for name in os.listdir(HERE) if re.match(r"weak_(?!memory)", name)})
        for name, model in self.models.items():
            with self.subTest(name):
                self.assertEqual(orders.differences(model, read), [])

    def finds(self, model, old, new, *says, source=None):
        """What is said after one place of the source, or of the model, was changed."""
        text = read(source) if source else self.models[model]
        self.assertEqual(text.count(old), 1, old)
        changed = text.replace(old, new)
        self.assertEqual(orders.differences(self.models[model] if source else changed,
                                            lambda name: changed if name == source else read(name)), list(says))

    def test_another_order_of_the_program_is_found(self):
        team, queue, jobs = "core/base/team.c", "core/run/work_queue.c", "server/jobs.c"
        self.finds("weak_team.pml", "&team->state, 1, memory_order_release", "&team->state, 1, memory_order_relaxed",
                   f"{team}: has leave fetch_sub state: RELAXED, the table leave fetch_sub state: RELEASE", source=team)
        self.finds("weak_team.pml", "atomic_store(&team->is_stopping, true)",
                   "atomic_store_explicit(&team->is_stopping, true, memory_order_release)",
                   f"{team}: has ls_team_destroy store is_stopping: RELEASE, "
                   "the table ls_team_destroy store is_stopping: SEQ_CST", source=team)
        self.finds("weak_queue.pml", "    spins = 0;", "    spins = atomic_load(&queue->left);",
                   f"{queue}: has work load left: SEQ_CST, the table work fetch_sub left: RELEASE", source=queue)
        self.finds("weak_jobs.pml", "__atomic_exchange_n(flag, 1, __ATOMIC_RELEASE)", "(*flag = 1)",
                   f"{jobs}: has ls_flag_lower load flag: RELAXED, the table ls_flag_raise exchange flag: RELEASE", source=jobs)

    def test_another_order_of_the_model_is_found(self):
        self.finds("weak_team.pml", "#define LEAVES RELEASE", "#define LEAVES ACQ_REL", "core/base/team.c: has leave "
                   "fetch_sub state: RELEASE, the table leave fetch_sub state: ACQ_REL")
        self.finds("weak_queue.pml", "load(who, LEFT, count, RETURNS)", "load(who, LEFT, count, JOINS)",
                   "model: load LEFT JOINS has no row", "model: lacks load LEFT RETURNS")
        self.finds("weak_queue.pml", "#define POSTS_OPEN RELEASE", "#define POSTS_OPEN ACQ_REL",
                   "model: OPENED POSTS_OPEN is ACQ_REL, not RELEASE")


if __name__ == "__main__":
    main()
