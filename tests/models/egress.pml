/* The bytes that a server sends to an attacker with valid sessions, which requests snapshots without
 * pause (server/ranges.c, server/load_budget.c, server/egress.c; docs/security.md, row 39). The
 * attacker has two sessions at its first host and one at its second, and may replace each by a new
 * one at any time.
 *
 * A chunk of a snapshot is one packet. The ticks of one step of time are one packet too. A budget is
 * a bucket: it holds BURST packets and gets RATE in each step. A chunk pays all three budgets, or is
 * not sent. Ticks are charged to the server's, and never wait for it.
 *
 * Checked over the steps of any window. The window begins with the model, at any levels of the
 * budgets:
 *   session  a session is sent no more than its burst and its rate
 *   host     all sessions of a host, with those that have ended, are sent no more than its burst
 *            and its rate
 *   server   all sessions are sent no more than the server's burst, its rate and one packet, which
 *            is the one of the ticks
 *   refusal  a request that one budget refuses costs nothing in the others
 *
 * Packets are counted for the first session and for the first host. The session at the second host
 * uses what the server has left. The numbers are small and say nothing about the true ones, which
 * tests/integration/test_attacks_egress.c and tests/unit/server/test_load_budget.c count. Left out
 * are the pace and the rank of a session, which only refuse more, ticks above the server's rate, and
 * the budget that all snapshots share besides, which is a second one of the server.
 *
 * -DFAULT_... plants a fault that the checker has to find. */
#ifndef STEPS
#define STEPS 3
#endif
#define SESSIONS 3
#define HOSTS 2
#define HOST_OF(session) ((session) / 2)

#define SESSION_BURST 2
#define SESSION_RATE  1
#define HOST_BURST    3
#define HOST_RATE     1
#define SERVER_BURST  3
#define SERVER_RATE   2

/* The levels of the budgets. The server's is below zero by the ticks of one step at most. */
byte of_session[SESSIONS];
byte of_host[HOSTS];
short of_server;

byte width;               /* steps so far */
byte age;                 /* steps of the first session in them */
byte to_session, to_host; /* packets sent to the first of each */
byte by_server;           /* packets sent to all */
bool has_ticked;          /* in this step */

#if defined(FAULT_NO_BUDGET) || defined(FAULT_NO_BUDGET_OF_A_SESSION)
#define SESSION_ALLOWS true
#else
#define SESSION_ALLOWS (of_session[one] > 0)
#endif
#if defined(FAULT_NO_BUDGET) || defined(FAULT_NO_BUDGET_OF_A_HOST)
#define HOST_ALLOWS true
#else
#define HOST_ALLOWS (of_host[HOST_OF(one)] > 0)
#endif
#if defined(FAULT_NO_BUDGET) || defined(FAULT_NO_BUDGET_OF_THE_SERVER)
#define SERVER_ALLOWS true
#else
#define SERVER_ALLOWS (of_server > 0)
#endif

#define LESS(level) level = ((level) > 0 -> (level) - 1 : 0)
#define MORE(level, rate, burst) level = ((level) + (rate) < (burst) -> (level) + (rate) : (burst))

inline check()
{
	assert(to_session <= SESSION_BURST + SESSION_RATE * age);
	assert(to_host <= HOST_BURST + HOST_RATE * width);
	assert(by_server <= SERVER_BURST + SERVER_RATE * width + 1)
}

/* A chunk has been paid for, and is sent. */
inline send()
{
	to_session = to_session + (one == 0 -> 1 : 0);
	to_host = to_host + (HOST_OF(one) == 0 -> 1 : 0);
	by_server++;
	check()
}

/* A request of the session `one`. */
inline take_request()
{
	before = of_session[one] + of_host[HOST_OF(one)] + of_server;
	if
	:: SERVER_ALLOWS && SESSION_ALLOWS && HOST_ALLOWS ->
		LESS(of_session[one]);
		LESS(of_host[HOST_OF(one)]);
#ifdef FAULT_NO_BUDGET_OF_THE_SERVER
		LESS(of_server);
#else
		of_server--;
#endif
		send()
	:: else ->
#ifdef FAULT_REFUSED_CHUNK_IS_CHARGED
		/* The host is asked last. */
		if
		:: of_server > 0 && of_session[one] > 0 -> of_session[one]--; of_server--
		:: else -> skip
		fi;
#endif
		assert(before == of_session[one] + of_host[HOST_OF(one)] + of_server)
	fi;
	before = 0
}

/* The session `one` ends, and another one of its host begins in its place. */
inline connect_again()
{
	of_session[one] = SESSION_BURST;
#ifdef FAULT_HOST_IS_FORGOTTEN
	of_host[HOST_OF(one)] = HOST_BURST;
#endif
	if
	:: one == 0 -> to_session = 0; age = 0
	:: else -> skip
	fi
}

/* Ticks are sent at once. */
inline send_ticks()
{
	has_ticked = true;
#ifndef FAULT_TICKS_ARE_FREE
	of_server--;
#endif
	by_server++;
	check()
}

inline pass_time()
{
	width++;
	age++;
	has_ticked = false;
	MORE(of_session[0], SESSION_RATE, SESSION_BURST);
	MORE(of_session[1], SESSION_RATE, SESSION_BURST);
	MORE(of_session[2], SESSION_RATE, SESSION_BURST);
	MORE(of_host[0], HOST_RATE, HOST_BURST);
	MORE(of_host[1], HOST_RATE, HOST_BURST);
	MORE(of_server, SERVER_RATE, SERVER_BURST)
}

init {
	byte one;
	short before;
	atomic {
		select(one : 0 .. SESSION_BURST); of_session[0] = one;
		select(one : 0 .. SESSION_BURST); of_session[1] = one;
		select(one : 0 .. SESSION_BURST); of_session[2] = one;
		select(one : 0 .. HOST_BURST); of_host[0] = one;
		select(one : 0 .. HOST_BURST); of_host[1] = one;
		select(one : 0 .. SERVER_BURST); of_server = one;
		one = 0
	}
	do
	:: atomic { select(one : 0 .. 2); take_request(); one = 0 }
	:: atomic { select(one : 0 .. 2); connect_again(); one = 0 }
	:: atomic { !has_ticked -> send_ticks() }
	:: atomic { width < STEPS -> pass_time() }
	:: break
	od
}
