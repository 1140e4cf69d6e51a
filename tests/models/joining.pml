/* A client that asks to join, a server that answers, and an attacker on the line without a key. The
 * attacker cannot hold an answer back for longer than the client waits before it repeats, and
 * otherwise chooses the order of everything. Between two repetitions it injects up to INJECTIONS
 * COOKIEs and REJECTs (docs/protocol.md, "Nothing is proven before the ACCEPT opens").
 *
 * A period between two repetitions lasts until all genuine messages have arrived: that is what
 * "only delayed" means. AUTHS and KEPT are the limits of the program, LS_CLIENT_AUTHS_PER_S and
 * LS_CLIENT_COOKIES; AUTHs count for all periods of an attempt together here, as those of one
 * second.
 *
 * The attacker may also have an address of its own, and let AUTHs from there hold seats that it
 * never confirms: as many as the server lets one address have (LS_SERVER_UNCONFIRMED_PART).
 *
 * -DRESUMES: the client has lost its session and shows a resume secret, which needs no free seat.
 * When its last CONFIRM may be lost, the server has either of two secrets. The newest comes first;
 * if it leads to another seat, the client lets go and shows the other in a new attempt, in which
 * the AUTHs at once count anew.
 *
 * Checked: the client is let in at most one repetition later than without the attacker, in each of
 * two attempts; a client that resumes gets its own seat; no REJECT and no COOKIE of another server
 * ends the attempt; only a COOKIE for its own HELLO changes it.
 *
 * Left out: how long a repetition is; several addresses of the attacker, each with its share of
 * the seats; a packet of the old session that opens and ends a resume; an outage over the time
 * for which the client tries (60 s).
 *
 * -DFAULT_... plants a fault that the checker has to find. */
#ifndef AUTHS
#define AUTHS 16 /* COOKIEs that are answered at once */
#endif
#ifndef KEPT
#define KEPT 8 /* of the newest, whose AUTHs are repeated */
#endif
#ifndef INJECTIONS
#define INJECTIONS (AUTHS + KEPT - 1)
#endif

#define PERIODS_MAX (shown + 2) /* all that the client may need: one, and a repetition for each attempt */
#define REFUSAL     2 /* periods after which a refusal counts */
#define SEATS       8 /* that are free at first */
#ifdef FAULT_UNCONFIRMED_UNLIMITED
#define HELD_MAX    SEATS
#else
#define HELD_MAX    (SEATS / UNCONFIRMED_PART)
#endif
#ifndef UNCONFIRMED_PART
#define UNCONFIRMED_PART 4
#endif

/* Whose cookie a COOKIE has. */
mtype = { GENUINE, INVENTED };
/* The client's step. */
mtype = { HELLO, AUTH, IN };

/* The client. */
mtype step = HELLO;
byte keys = 1;         /* its ephemeral, which a HELLO and its COOKIE name */
bool has_genuine;      /* among the cookies that it keeps, as its age: 0 is the newest */
byte age;
byte tried;            /* AUTHs at once */
byte refusal;          /* periods since one stands, from 1; 0: none does */
byte period;

/* Under way to the client: the keys that a genuine answer names; 0: none is. */
byte cookie_for, accept_for;

byte injected;         /* in this period */
byte held;             /* seats, by AUTHs of the attacker */

/* Resume secrets, 0 the newest: which one the client shows, and which one the server has. */
bit shown, right;
#ifdef RESUMES
#define HAS_SEAT (shown == right)
#else
#define HAS_SEAT false
#endif

/* The server takes an AUTH with its own cookie and drops another at the price of one hash. Without
 * a free seat it puts the client off, which then asks again. */
inline send_auth(cookie)
{
	if
	:: cookie == GENUINE && (HAS_SEAT || held < SEATS) -> accept_for = keys
	:: else -> skip
	fi
}

/* Among the newest KEPT. */
inline keep(cookie)
{
	if
	:: cookie == GENUINE -> has_genuine = true; age = 0
	:: cookie != GENUINE && has_genuine && age + 1 < KEPT -> age++
	:: else -> has_genuine = false; age = 0
	fi
}

#if defined(FAULT_COOKIE_OF_ANY_HELLO)
#define ANSWERS(hello) (step == HELLO)
#elif defined(FAULT_FIRST_COOKIE_WINS)
#define ANSWERS(hello) (step == HELLO && (hello) == keys)
#else
#define ANSWERS(hello) (step != IN && (hello) == keys)
#endif

/* One with a certificate of the pinned server. */
inline take_cookie(hello, cookie)
{
	if
	:: ANSWERS(hello) ->
#ifndef FAULT_COOKIE_OF_ANY_HELLO
		assert(hello == keys);
#endif
		if
		:: step == HELLO -> step = AUTH; refusal = 0
		:: else -> skip
		fi;
		if
		:: cookie == GENUINE && has_genuine -> skip /* it is known */
		:: else ->
			keep(cookie);
			if
			:: tried < AUTHS -> tried++; send_auth(cookie)
			:: else -> skip
			fi
		fi
	:: else -> skip
	fi
}

inline refuse()
{
#ifdef FAULT_REJECT_AT_ONCE
	assert(step == IN);
#endif
	if
	:: step != IN && refusal == 0 -> refusal = 1
	:: else -> skip
	fi
}

/* A COOKIE of a server that is not the pinned one. Beside one that is trusted it means nothing. */
inline take_foreign()
{
	if
	:: step == HELLO ->
#ifdef FAULT_FOREIGN_COOKIE_DRAWS
		keys++;
#endif
		refuse()
	:: else -> skip
	fi
}

/* An ACCEPT that opens. In another seat than its own the client lets go. */
inline enter()
{
	refusal = 0;
	if
#if defined(RESUMES) && !defined(FAULT_FORMER_SECRET_FORGOTTEN)
	:: shown == 0 && right == 1 ->
		shown = 1;
		keys++;
		step = HELLO;
		cookie_for = keys;
		injected = 0;
#ifndef FAULT_ATTEMPTS_SHARE_AUTHS
		tried = 0;
#endif
		has_genuine = false;
		age = 0
#endif
	:: else -> step = IN
	fi
}

/* The client says HELLO and its AUTHs again; a refusal that stands grows older. */
inline repeat()
{
	period++;
	assert(period < PERIODS_MAX);
	injected = 0;
	refusal = (refusal > 0 -> refusal + 1 : 0);
	assert(refusal <= REFUSAL);
	cookie_for = keys;
	if
	:: step == AUTH && has_genuine -> send_auth(GENUINE)
	:: else -> skip
	fi
}

init {
	byte named;
	atomic {
		cookie_for = keys;
#ifdef RESUMES
		if
		:: true -> right = 0
		:: true -> right = 1
		fi
#endif
	}
	do
	:: atomic { step != IN && held < HELD_MAX -> held++ }
	:: atomic { step != IN && injected < INJECTIONS ->
		injected++;
		if
		:: true -> take_cookie(keys, INVENTED) /* for a copy of the HELLO, or invented */
		:: true -> take_cookie(0, INVENTED)    /* for a HELLO of the attacker */
		:: true -> take_foreign()
		:: true -> refuse()
		fi
	   }
	:: atomic { step != IN && cookie_for != 0 ->
		named = cookie_for;
		cookie_for = 0;
		take_cookie(named, GENUINE)
	   }
	:: atomic { step != IN && accept_for != 0 ->
		if
		:: accept_for == keys && step == AUTH -> accept_for = 0; enter()
		:: else -> accept_for = 0
		fi
	   }
	:: atomic { step != IN && cookie_for == 0 && accept_for == 0 -> repeat() }
	:: step == IN -> break
	od;
	assert(period < PERIODS_MAX && refusal == 0);
	assert(shown == right)
}
