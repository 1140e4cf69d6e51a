/* Datagrams of the carrier from one side to the other (docs/protocol.md, "Authentication"): what
 * the gate of the receiver lets through to ENet, and ENet's groups and commands behind it. Two
 * sessions follow each other, as after a resume. The attacker delivers each datagram as often as it
 * likes, in any order, or not at all; it forges datagrams without the key, turns datagrams of the
 * other direction back, and in the end learns the keys of the first session.
 *
 * Small versions: a window of WINDOW counters instead of 1024, GROUPS groups instead of 2^16. ENet
 * takes a group that is less than half of them ahead for a new one, and drops what is further
 * behind than its own window.
 *
 * Checked: nothing reaches ENet that the sender of this session did not send, and nothing twice;
 * each datagram is charged to the budget of commands at most once; the first copy of a datagram
 * that is inside the window passes the gate and ENet, whatever the attacker did before.
 *
 * -DFAULT_... plants a fault that the checker has to find. */
#ifndef DATAGRAMS
#define DATAGRAMS 6 /* in each session */
#endif
#define WINDOW  3
#define GROUPS  8
#define HALF    4
#define FORGED  (DATAGRAMS + 1)

/* The sender. */
byte session = 1;
byte sent;

/* The receiver: its gate. */
byte next = 1;                /* one above the highest counter taken */
bool taken[DATAGRAMS + 2];    /* by counter */
/* ENet. */
byte newest;                  /* group */
byte delivered[DATAGRAMS + 2];
byte charged[DATAGRAMS + 2];
/* What the true sender's datagrams did. */
bool has_arrived[DATAGRAMS + 2];

/* Keys by what they say: session and direction. */
#ifdef FAULT_KEYS_STAY
#define KEY_OF(which, is_back) (2 + (is_back))
#else
#define KEY_OF(which, is_back) (2 * (which) + (is_back))
#endif

/* Whether ENet takes a group, and is moved by it. */
inline enet(counter)
{
	ahead = (counter + GROUPS - newest) % GROUPS;
	if
	:: ahead < HALF -> newest = counter % GROUPS; has_passed = true
	:: ahead >= HALF && GROUPS - ahead <= WINDOW -> has_passed = true
	:: else -> has_passed = false
	fi
}

/* Twice is as bad as more. */
inline count(times)
{
	times = (times < 2 -> times + 1 : times)
}

inline gate(counter, key)
{
	is_right = (key == KEY_OF(session, 0));
	is_fresh = (counter >= next || (next - counter <= WINDOW && !taken[counter]));
#ifdef FAULT_ONE_KEY
	is_right = (key / 2 == session);
#endif
#ifdef FAULT_NO_COUNTER
	is_fresh = true;
#endif
#ifdef FAULT_WINDOW_BEFORE_MAC
	if
	:: is_fresh -> taken[counter] = true;
		if
		:: counter >= next -> next = counter + 1
		:: else -> skip
		fi
	:: else -> skip
	fi;
#endif
#ifdef FAULT_REPLAYS_ARE_CHARGED
	if
	:: is_right -> count(charged[counter])
	:: else -> skip
	fi;
#else
	if
	:: is_right && is_fresh -> count(charged[counter])
	:: else -> skip
	fi;
#endif
	has_passed = false;
	if
	:: is_right && is_fresh ->
		taken[counter] = true;
		if
		:: counter >= next -> next = counter + 1
		:: else -> skip
		fi;
		enet(counter);
		count(delivered[counter])
	:: else -> skip
	fi
}

inline check(counter)
{
#ifndef FAULT_NO_COUNTER /* then ENet alone has to know what it had */
	assert(delivered[counter] <= 1);
#endif
	assert(delivered[counter] == 0 || has_arrived[counter]);
#ifndef FAULT_NO_COUNTER
	assert(charged[counter] <= 1)
#endif
}

init {
	byte counter, ahead, key, high, before;
	bool is_right, is_fresh, has_passed, is_first;
	do
	:: atomic { sent < DATAGRAMS && sent + 1 < high + HALF -> sent++ }
	:: atomic { /* a datagram of this session, for the first time or again */
		sent > 0 ->
		select(counter : 1 .. sent);
		is_first = (!has_arrived[counter] && counter + WINDOW > high);
		has_arrived[counter] = true;
		high = (counter > high -> counter : high);
		gate(counter, KEY_OF(session, 0));
		assert(!is_first || has_passed);
		check(counter)
	   }
	:: atomic { /* without the key; the other side's, turned back; of the former session, or forged
		     * with its keys */
		select(counter : 1 .. FORGED);
		if
		:: key = 0
		:: key = KEY_OF(session, 1)
		:: session == 2 -> key = KEY_OF(1, 0)
		fi;
		before = charged[counter];
		gate(counter, key);
		assert(!has_passed && charged[counter] == before);
		check(counter)
	   }
	:: atomic { session == 1 && sent == DATAGRAMS -> /* the next session, with keys of its own */
		session = 2;
		sent = 0;
		next = 1;
		newest = 0;
		high = 0;
		counter = 0;
		do
		:: counter <= FORGED ->
			taken[counter] = false;
			delivered[counter] = 0;
			charged[counter] = 0;
			has_arrived[counter] = false;
			counter++
		:: else -> break
		od
	   }
	:: session == 2 && sent == DATAGRAMS -> break
	od
}
