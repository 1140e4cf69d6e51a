/* The protocol of core/base/team.c and core/run/work_queue.c: a caller and WORKERS workers run TICKS jobs, each a
 * small graph of systems of which one has pages that several may share.
 *
 * The state of a team is one word there and one atomic step here: how many are inside, whether the
 * job is open, and its number. Steps that the code does with one atomic operation are atomic here;
 * all else may be interleaved. Spinning is modelled by blocking, except for the choice to sleep.
 *
 * Checked: no deadlock; nobody sleeps through a job or through the end; nobody is inside a job whose
 * caller has left; each system begins once, after all before it have ended, and ends once, after all
 * of its pages; a system tied to the caller is run by the caller alone; all is done when the caller
 * leaves.
 *
 * -DFAULT_... plants a fault that the checker has to find. */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef TICKS
#define TICKS 2
#endif

/* 0 before 1 and 2, both before 3; 1 has two pages, 2 is the caller's alone. */
#define SYSTEMS 4
#define PAGES   2

/* The team's word. */
byte inside, number;
bool is_open;

bool is_stopping;
byte sleepers;
bool mutex;
byte wakes; /* under the mutex */
bool asleep[WORKERS + 1]; /* waits for `wakes`, and nobody has raised it since */
byte seen[WORKERS + 1];   /* number of the job that the worker was in last */

/* The board, which is the job's. */
bool is_alive; /* the caller has not left */
bool ready[SYSTEMS], open[SYSTEMS];
byte pending[SYSTEMS], begun[SYSTEMS], ended[SYSTEMS];
byte next, done, run_pages;
byte left;

#define LOCK   atomic { !mutex -> mutex = true }
#define UNLOCK mutex = false

inline release(at)
{
	atomic {
		pending[at]--;
		if
		:: pending[at] == 0 -> assert(!ready[at]); ready[at] = true
		:: else
		fi
	}
}

inline end_system(at)
{
	assert(begun[at] == 1 && ended[at] == 0);
	ended[at]++;
	if
	:: at == 0 -> release(1); release(2)
	:: at == 1 || at == 2 ->
		release(3)
	:: else
	fi;
	ended_here++
}

inline begin_system(at)
{
	assert(is_alive);
	assert(begun[at] == 0);
	begun[at]++;
	assert(at == 0 || ended[0] == 1);
	assert(at != 3 || (ended[1] == 1 && ended[2] == 1))
}

/* Takes pages until there are none, then says how many it did. */
inline share()
{
	do
	:: atomic { taken = next; if :: next < PAGES -> next++ :: else fi }
	   if
	   :: taken >= PAGES -> break
	   :: else
	   fi;
	   if
	   :: taken + 1 >= PAGES -> open[1] = false
	   :: else
	   fi;
	   assert(is_alive && begun[1] == 1 && ended[1] == 0);
	   atomic { run_pages++; done_here++ }
	   if
	   :: true
	   :: done_here > 0 -> break /* something better waits: others may go on */
	   fi
	od;
	if
	:: done_here > 0 ->
	   assert(is_alive);
	   atomic {
#ifdef FAULT_DONE_BEFORE_RUN
		   done = done + done_here;
		   last = (done >= 1);
#else
		   done = done + done_here;
		   last = (done == PAGES);
#endif
		   done_here = 0
	   }
	   if
	   :: last -> assert(run_pages == PAGES); end_system(1)
	   :: else
	   fi;
	   last = false
	:: else
	fi
}

/* What ls_work_queue's work() does. */
inline work(who)
{
	do
	:: atomic { ready[0] -> ready[0] = false } begin_system(0); end_system(0)
	:: atomic { ready[1] -> ready[1] = false }
	   begin_system(1);
	   atomic { next = 1; done_here = 1; run_pages++ }
	   open[1] = true;
	   share()
	:: open[1] -> share()
#ifndef FAULT_ANYBODY_TAKES_TIED
	:: who == 0 && ready[2] ->
#else
	:: ready[2] ->
#endif
	   atomic {
		   if
		   :: ready[2] -> ready[2] = false; taken = 0
		   :: else -> taken = 1
		   fi
	   }
	   if
	   :: taken == 0 -> assert(who == 0); begin_system(2); end_system(2)
	   :: else
	   fi
	:: atomic { ready[3] -> ready[3] = false } begin_system(3); end_system(3)
	:: atomic { ended_here > 0 -> assert(is_alive); left = left - ended_here; ended_here = 0 }
	:: left == 0 && ended_here == 0 -> break
	od
}

inline wake_sleepers()
{
	if
	:: sleepers > 0 ->
	   LOCK;
	   d_step {
		   wakes++;
		   each = 1;
		   do
		   :: each <= WORKERS -> asleep[each] = false; each++
		   :: else -> break
		   od
	   }
	   UNLOCK
	:: else
	fi
}

#define NEWS (is_open && number != seen[who])

/* Whoever sleeps now has been in the job that is open. */
inline assert_nobody_missed_it()
{
	d_step {
		each = 1;
		do
		:: each <= WORKERS -> assert(!asleep[each] || seen[each] == number); each++
		:: else -> break
		od;
		each = 0
	}
}

proctype worker(byte who)
{
	byte wakes_seen, taken, done_here, ended_here;
	bool last, came;
	do
	:: is_stopping -> break
	:: NEWS && !is_stopping ->
	   /* compare and exchange of the word */
	   atomic {
		   if
		   :: NEWS -> inside++; came = true; seen[who] = number
		   :: else -> came = false
		   fi
	   }
	   if
	   :: came ->
	      assert(is_alive);
	      work(who);
	      assert(is_alive);
	      inside--
	   :: else
	   fi
	:: !is_stopping && !NEWS -> /* has looked long enough */
	   LOCK;
	   wakes_seen = wakes;
#ifdef FAULT_LOOKS_BEFORE_SAYING
	   came = (!NEWS && !is_stopping);
	   sleepers++;
	   if
	   :: came ->
#else
	   sleepers++;
	   if
	   :: !NEWS && !is_stopping ->
#endif
	      atomic { asleep[who] = true; UNLOCK } /* pthread_cond_wait */
	      wakes != wakes_seen;
	      LOCK
	   :: else
	   fi;
	   sleepers--;
	   UNLOCK
	od
}

inline set_up()
{
	d_step {
		is_alive = true;
		pending[0] = 0; pending[1] = 1; pending[2] = 1; pending[3] = 2;
		begun[0] = 0; begun[1] = 0; begun[2] = 0; begun[3] = 0;
		ended[0] = 0; ended[1] = 0; ended[2] = 0; ended[3] = 0;
		open[1] = false;
		next = 0; done = 0; run_pages = 0; left = SYSTEMS;
		ready[0] = true
	}
}

init {
	byte taken, done_here, ended_here, ticks, who, each;
	bool last;
	atomic {
		who = 1;
		do
		:: who <= WORKERS -> run worker(who); who++
		:: else -> break
		od
	}
	do
	:: ticks < TICKS ->
	   ticks++;
	   set_up();
	   atomic { number++; is_open = true }
	   wake_sleepers();
	   assert_nobody_missed_it();
	   work(0);
	   is_open = false;
#ifndef FAULT_LEAVES_AT_ONCE
	   inside == 0;
#endif
	   assert(left == 0 && ended[3] == 1);
	   is_alive = false
	:: else -> break
	od;
	is_stopping = true;
	wake_sleepers();
	/* pthread_join */
	_nr_pr == 1
}
