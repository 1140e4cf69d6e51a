/* The address of a connection (proto/path.h, docs/protocol.md, "Path"): a client whose router may
 * give it another one, a server that asks before it sends elsewhere, and an attacker who sees what
 * client and server send each other, delivers it from any address, as often as it likes, or not
 * at all. It has no key, so it can neither make nor change a message.
 *
 * Addresses: HOME and MOVED are the client's before and after, THIEF is the attacker's, VICTIM that
 * of a stranger: the attacker sends in its name, and sees nothing that is sent to it.
 *
 * Checked: the server never sends a stream to the victim; to the thief only after the client itself
 * has answered the thief's question, so the attacker has relayed both; only the newest datagram
 * causes questions, and each at most two; once the attacker stops, the client's next datagram leads
 * to the client's true address. Time is not modelled: a question may end at any moment.
 *
 * -DFAULT_... plants a fault that the checker has to find. */
#ifndef DATAGRAMS
#define DATAGRAMS 3
#endif
#define TOKENS (2 * DATAGRAMS + 2)

#define HOME      0
#define MOVED     1
#define THIEF     2
#define VICTIM    3
#define ADDRESSES 4
#define TRIES     3

/* The client. */
byte at = HOME;
byte sent;                /* datagrams; each has the next counter */
bool responded[TOKENS + 1];

/* The server. */
byte used = HOME;
byte highest;             /* counter taken so far */
bool taken[DATAGRAMS + 2];
byte question[ADDRESSES]; /* the open token; 0: none */
byte tokens;              /* drawn so far */
byte open;

/* The attacker. */
bool seen[TOKENS + 1];    /* CHALLENGEs that it can deliver to the client */
bool relayed;             /* the client has answered a question that was put to the thief */

inline ask(address)
{
	if
#ifdef FAULT_ONE_TOKEN
	:: question[address] == 0 -> question[address] = first
#else
	:: question[address] == 0 && open < TRIES -> tokens++; question[address] = tokens; open++
	:: question[address] == 0 && open == TRIES ->
		/* the oldest goes, which is never that of the address in use */
		if
		:: address != MOVED && used != MOVED && question[MOVED] != 0 -> question[MOVED] = 0
		:: address != HOME && used != HOME && question[HOME] != 0 -> question[HOME] = 0
		:: address != THIEF && used != THIEF && question[THIEF] != 0 -> question[THIEF] = 0
		:: address != VICTIM && used != VICTIM && question[VICTIM] != 0 -> question[VICTIM] = 0
		fi;
		tokens++;
		question[address] = tokens
#endif
	:: else -> skip
	fi;
	if
	:: address != VICTIM -> seen[question[address]] = true
	:: else -> skip
	fi
}

/* A datagram of the client with this counter, from wherever. */
inline take_datagram(counter, where)
{
	if
	:: taken[counter] -> skip /* the gate has dropped it */
	:: else ->
		taken[counter] = true;
		is_newest = (counter > highest);
		if
		:: is_newest -> highest = counter
		:: else -> skip
		fi;
		if
#ifdef FAULT_MOVES_AT_ONCE
		:: where != used && is_newest -> used = where
#elif defined(FAULT_OLD_COUNTER_ASKS)
		:: where != used ->
			assert(is_newest);
			ask(used);
			ask(where)
#else
		:: where != used && is_newest ->
#ifdef FAULT_ONE_TOKEN
			tokens++;
			first = tokens;
#endif
			ask(used);
			ask(where)
#endif
		:: else -> skip
		fi
	fi
}

/* A RESPONSE with this token, from wherever. */
inline take_response(said, where)
{
	if
#ifdef FAULT_ANSWER_FROM_ANYWHERE
	:: said == question[HOME] || said == question[MOVED] || said == question[THIEF] ->
		question[where] = 0;
#else
	:: said == question[where] ->
#endif
		if
		:: where == used ->
			question[HOME] = 0;
			question[MOVED] = 0;
			question[THIEF] = 0;
			question[VICTIM] = 0;
			open = 0
		:: else ->
			question[where] = 0;
			used = where;
			if
			:: open > 0 -> open--
			:: else -> skip
			fi
		fi
	:: else -> skip
	fi
}

inline respond(said)
{
	responded[said] = true;
	if
	:: said == question[THIEF] -> relayed = true
	:: else -> skip
	fi
}

inline check()
{
	assert(used != VICTIM);
	assert(used != THIEF || relayed)
}

init {
	byte number, from, token, first;
	bool is_newest;
	/* While the attacker is there. */
	do
	:: atomic { sent < DATAGRAMS -> sent++ }
	:: atomic { at == HOME -> at = MOVED }
	:: atomic { sent > 0 ->
		select(number : 1 .. sent);
		select(from : HOME .. VICTIM);
		take_datagram(number, from);
		check()
	   }
	:: atomic { tokens > 0 -> /* the client answers a CHALLENGE once, wherever it was sent */
		select(token : 1 .. tokens);
		if
		:: seen[token] && !responded[token] -> respond(token)
		:: else -> skip
		fi
	   }
	:: atomic { tokens > 0 ->
		select(token : 1 .. tokens);
		select(from : HOME .. VICTIM);
		if
		:: responded[token] -> take_response(token, from)
		:: else -> skip
		fi;
		check()
	   }
	:: atomic { open > 0 -> /* questions are over in time */
		select(from : HOME .. VICTIM);
		if
		:: question[from] != 0 -> question[from] = 0; open--
		:: else -> skip
		fi
	   }
	:: break
	od;
	/* Without it: the client's next datagram, its questions and the client's answers arrive. */
	atomic {
		sent++;
		take_datagram(sent, at);
		from = question[at];
		if
		:: from != 0 && seen[from] -> take_response(from, at)
		:: else -> skip
		fi;
		check();
		assert(used == at)
	}
}
