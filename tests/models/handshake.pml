/* The handshake, resuming by secret, the renewal of the certificate's key and the session's move to
 * another address, with an attacker who carries every message: it delivers each as often as it likes,
 * from any address, or not at all. Messages are terms: one that is sealed opens only under its key,
 * one with a code is right only under its key. At the start the attacker chooses what it learns
 * besides (docs/protocol.md, "Handshake", "Key schedule" and "Path"; docs/security.md).
 *
 * One server with one seat, one honest client with ATTEMPTS attempts, each with an ephemeral key of
 * its own, which its HELLO names. The attacker has one more. A grant is what an AUTH that the server
 * takes leads to; its number also names its keys and its resume secret.
 *
 * Checked, with what the attacker learned in mind:
 *   consent   a session with the client's key exists only where the client has confirmed it
 *   theft     a session of the client ends, and its seat changes hands, only by the client itself,
 *             or by who has the seat's present resume secret
 *   password  without it nobody enters
 *   server    the client talks to the server; also a stolen key of an old certificate deceives it
 *             only until that certificate has expired
 *   once      an AUTH leads to one grant of an address, a grant to one session, a resume secret to one
 *   address   who sees no answers has no grant in the name of another address
 *   path      the server sends the client's session to the attacker's address only if the client has
 *             connected through it, or has answered a question in this session that the attacker
 *             relayed; no session is ever sent to a stranger, who answers nothing
 *
 * A key that is learned may break a property: test_models.py says which, and has the others checked
 * with -DALLOWS_... of that one. ALLOWS_PATH and ALLOWS_CONSENT still check the sessions after the
 * one whose key is known.
 *
 * A move is smaller than in path.pml: one question at a time, to one address, and each datagram is
 * the newest. What is here and not there is the session that ends or is resumed meanwhile.
 * -DSTAYS leaves moves out, for more grants.
 *
 * The running session's keys are all that both sides seal and authenticate with; the resume secret
 * came under the handshake's. With the cookie secret the attacker makes cookies: for an address
 * where it sees nothing, or for a recorded AUTH that the server has forgotten.
 *
 * All keys of an attempt come from its ephemeral, together with what the password gives. So with both
 * the attacker reads the AUTH and the ACCEPT of that attempt, answers it as the server would, and
 * speaks for the client; without the password it has none of these keys.
 *
 * `path` shows where snapshots go: to a client that is in a session and has answered at that
 * address. How many go there is in egress.pml.
 *
 * -DFAULT_... plants a fault that the checker has to find. */
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif
#ifndef GRANTS
#define GRANTS 3
#endif
#define THIEF (ATTEMPTS + 1) /* its ephemeral key */

/* What the attacker learns. After the first three it knows the password, as on a server that has
 * none, except for the matchmaker's key: there a token is needed. */
mtype = {
	NOTHING,       /* it is on the path */
	PAST_SESSION,  /* all keys of a session, once that is over */
	IDENTITY,      /* the server's, which signs certificates */
	BLIND,         /* it is not on the path, and sees only what is sent to its own address */
	PASSWORD,
	OLD_S,         /* the first certificate's key */
	RESUME_SECRET, /* the client's, once */
	CARRIER,       /* the carrier's keys of the client's session, once */
	SESSION,       /* all keys of the client's running session, once */
	COOKIE_SECRET, /* the server's */
	BLIND_COOKIES, /* the same, and it is not on the path */
	IDENTITY_AND_PASSWORD,
	MATCHMAKER,    /* its key, which makes tokens for any client */
	CLIENT_EPHEMERAL, /* the private key of one attempt, once */
	CLIENT_EPHEMERAL_AND_PASSWORD
};
mtype learned;
#define KNOWS_PASSWORD \
	(learned != NOTHING && learned != PAST_SESSION && learned != IDENTITY && learned != MATCHMAKER && \
	 learned != CLIENT_EPHEMERAL)
#define SIGNS          (learned == IDENTITY || learned == IDENTITY_AND_PASSWORD)
#define HAS_TOKENS     (learned == MATCHMAKER)
#define ON_PATH        (learned != BLIND && learned != BLIND_COOKIES)
#ifdef FAULT_RENEWAL_KEEPS_S
#define KNOWS_S(which) (learned == OLD_S)
#else
#define KNOWS_S(which) (learned == OLD_S && (which) == 0)
#endif

/* A grant's course. */
mtype = { NONE, PENDING, CONNECTED, ACTIVE, OVER };
/* The client's step. */
mtype = { ASKING, CONNECTING, PLAYING };
/* Addresses: of a grant the first two, of a session and a question all. */
#define THIEFS  0
#define CLIENTS 1 /* where the client is now */
#define FORMER  2 /* where it was */
#define VICTIM  3 /* a stranger's: the attacker sends in its name, and sees nothing that it is sent */
#define NOBODY  4

#ifdef ALLOWS_THEFT
#define THEFT(holds) skip
#else
#define THEFT(holds) assert(holds)
#endif
#ifdef ALLOWS_PASSWORD
#define ENTRY(holds) skip
#else
#define ENTRY(holds) assert(holds)
#endif
#ifdef ALLOWS_SERVER
#define SERVER(holds) skip
#else
#define SERVER(holds) assert(holds)
#endif
#ifdef ALLOWS_ONCE
#define ONCE(holds) skip
#else
#define ONCE(holds) assert(holds)
#endif
#ifdef ALLOWS_ADDRESS
#define ADDRESS(holds) skip
#else
#define ADDRESS(holds) assert(holds)
#endif
#ifdef ALLOWS_END
#define END_OF_KNOWN(holds) skip
#else
#define END_OF_KNOWN(holds) assert(holds)
#endif
#ifdef ALLOWS_PATH
#define IS_KNOWN_PATH KNOWS_SESSION(holder)
#else
#define IS_KNOWN_PATH false
#endif
#ifdef ALLOWS_CONSENT
#define CONSENT(which) assert(confirmed[which] || key[which] == bare)
#else
#define CONSENT(which) assert(confirmed[which])
#endif

/* The certificates: 0 until the renewal, then 1; old cookies count until 2, at 3 the first
 * certificate has expired. */
byte era;
#define CURRENT        (era == 0 -> 0 : 1)
#define COUNTS(which)  ((which) == CURRENT || ((which) == 0 && era == 1))
#ifdef FAULT_EXPIRY_UNCHECKED
#define EXPIRED(which) false
#else
#define EXPIRED(which) ((which) == 0 && era == 3)
#endif

/* The client. */
mtype step = ASKING;
byte attempt = 1;
bool trusts[2];                /* certificates that came in this attempt */
bool trusts_forged;            /* one that the attacker has signed, and whose key it has */
byte shown[ATTEMPTS + 2];      /* the resume secret in the AUTH of an attempt */
byte secret, former;           /* that it has; both may be the right one until the server is heard */
byte at, playing;              /* its newest grant, and the one of its session */
bool confirmed[GRANTS + 1];
bool has_connected[GRANTS + 1];

/* AUTHs on the wire, by attempt and certificate; the cookie beside them is not sealed. */
typedef sealed { bool is_there[2] };
sealed auths[ATTEMPTS + 2];
bool leaked[GRANTS + 1];       /* resume secrets that the attacker has */
byte known;                    /* the session whose carrier's keys it has */
bool knows_seals;              /* and those of its sealed messages */
byte bare;                     /* the attempt whose ephemeral it has */
#ifdef FAULT_EPHEMERAL_STAYS
#define SPEAKS_FOR(attempted) (bare != 0 && (attempted) != THIEF && KNOWS_PASSWORD)
#else
#define SPEAKS_FOR(attempted) (bare != 0 && (attempted) == bare && KNOWS_PASSWORD)
#endif
#define IS_BARE(which)        SPEAKS_FOR(key[which])
#define KNOWS_SESSION(which)  (known == (which) || IS_BARE(which))

/* The server. */
mtype course[GRANTS + 1];
byte key[GRANTS + 1];          /* ephemeral in its AUTH */
byte from[GRANTS + 1];         /* address */
bool certificate[GRANTS + 1];
bool takes_over[GRANTS + 1];
byte old_secret[GRANTS + 1];
bool is_known[GRANTS + 1];     /* its AUTH is still answered with the same ACCEPT */
byte sessions[GRANTS + 1];     /* that it led to */
byte uses[GRANTS + 1];         /* of its resume secret */
byte grants;
bool seat_is_taken;
byte holder, seat_secret;

/* The session that has the seat. */
byte used;                     /* the address that it uses */
byte asked;                    /* the address to which a question is open */
bool has_answer;               /* of the client, to that question */
bool is_relayed;               /* in this session by the attacker: the connection, or an answer */

/* The seat of a grant that does not lead to a session is free again. A grant that takes over a seat
   leaves it to the former holder. */
inline release(which)
{
	if
	:: !takes_over[which] -> seat_is_taken = false
	:: else -> skip
	fi
}

/* A grant is over: what it was for does not matter any more. */
inline end(which)
{
	course[which] = OVER;
	takes_over[which] = false;
	old_secret[which] = 0;
	certificate[which] = false
}

/* The address of the holder's session. */
inline begin_path(where)
{
	used = where;
	is_relayed = (where == THIEFS && holder != 0 && key[holder] != THIEF);
#ifndef FAULT_QUESTION_OUTLIVES_SESSION
	asked = NOBODY;
	has_answer = false
#endif
}

inline check_path()
{
	assert(used != VICTIM);
	assert(used != THIEFS || holder == 0 || key[holder] == THIEF || is_relayed || IS_KNOWN_PATH)
}

/* The holder's session ends because of a grant. */
inline kick(by)
{
	if
	:: holder != 0 ->
		if
		:: key[holder] != THIEF && (key[by] == THIEF || (IS_BARE(by) && !confirmed[by])) ->
			THEFT(leaked[old_secret[by]] || (IS_BARE(by) && old_secret[by] == shown[bare]))
		:: key[holder] != THIEF && key[by] != THIEF && !(IS_BARE(by) && !confirmed[by]) ->
			assert(confirmed[by])
		:: else -> skip
		fi;
		end(holder);
		holder = 0
	:: else -> skip
	fi
}

/* Its connection has come, or has not come in time. */
#define IS_SPENT(which) (has_connected[which] || course[which] == OVER)

/* An AUTH whose cookie and box are right; `resume` is the secret in it, 0 for none. */
inline take_auth(who, where, which, resume)
{
	each = 1;
	is_new = true;
	do
	:: each <= grants ->
		if
		:: key[each] == who && from[each] == where && is_known[each] && who != THIEF -> is_new = false
#ifndef FAULT_AUTH_COUNTS_TWICE
		:: key[each] == who && who != THIEF && IS_SPENT(each) && learned != COOKIE_SECRET -> is_new = false
#endif
		:: else -> skip
		fi;
		each++
	:: else -> break
	od;
	/* A seat that is free, or the seat of the secret. */
	if
	:: is_new && grants < GRANTS &&
	   (!seat_is_taken || (resume != 0 && resume == seat_secret) || (who == THIEF && HAS_TOKENS)) ->
		each = 1;
		do
		:: each <= grants ->
			ONCE(key[each] != who || who == THIEF || !IS_SPENT(each));
			each++
		:: else -> break
		od;
		grants++;
		ENTRY(who != THIEF || KNOWS_PASSWORD);
		ADDRESS(ON_PATH || who != THIEF || where == THIEFS);
		course[grants] = PENDING;
		key[grants] = who;
		from[grants] = where;
		certificate[grants] = which;
		is_known[grants] = true;
		takes_over[grants] = seat_is_taken;
		old_secret[grants] = (seat_is_taken -> seat_secret : 0);
		seat_is_taken = true;
#ifdef FAULT_AUTH_TAKES_THE_SEAT
		if
		:: takes_over[grants] -> kick(grants)
		:: else -> skip
		fi
#endif
	:: else -> skip
	fi;
	each = 0
}

inline take_confirm(which)
{
	is_new = true; /* the seat is still the one that was promised */
	if
	:: takes_over[which] ->
		if
#ifndef FAULT_SECRET_NOT_COMPARED
		:: old_secret[which] != seat_secret || (holder == 0 && seat_is_taken) ->
			is_new = false
#endif
		:: else ->
			kick(which);
			uses[old_secret[which]]++;
			assert(uses[old_secret[which]] <= 1);
			THEFT(key[which] != THIEF || leaked[old_secret[which]]);
			takes_over[which] = false;
			old_secret[which] = 0
		fi
	:: else -> skip
	fi;
	if
	:: is_new ->
		if
		:: key[which] != THIEF -> CONSENT(which)
		:: else -> skip
		fi;
		ENTRY(key[which] != THIEF || KNOWS_PASSWORD);
		sessions[which]++;
		assert(sessions[which] <= 1);
		course[which] = ACTIVE;
		holder = which;
		begin_path(from[which]);
		seat_is_taken = true;
#ifdef FAULT_SECRET_STAYS
		seat_secret = (seat_secret == 0 -> which : seat_secret)
#else
		seat_secret = which
#endif
	:: else -> end(which)
	fi;
	is_new = false
}

/* The client shows one of the secrets that may be the right one. */
inline begin_attempt()
{
	attempt++;
	trusts[0] = false;
	trusts[1] = false;
	trusts_forged = false;
	step = ASKING;
	at = 0;
	if
	:: true -> shown[attempt] = secret
	:: former != 0 -> shown[attempt] = former
	fi
}

/* A COOKIE with this certificate: the client sends its AUTH. */
inline take_cookie(which)
{
	trusts[which] = true;
	auths[attempt].is_there[which] = true;
	if
	:: KNOWS_S(which) -> leaked[shown[attempt]] = (shown[attempt] != 0)
	:: else -> skip
	fi
}

/* A datagram of the holder's session from this address. */
inline take_datagram(where)
{
	if
#ifdef FAULT_MOVES_AT_ONCE
	:: where != used -> used = where
#else
	:: where != used -> asked = where; has_answer = false
#endif
	:: else -> skip
	fi;
	check_path()
}

/* A RESPONSE to the open question, from where it was put. */
inline take_response()
{
	used = asked;
	asked = NOBODY;
	has_answer = false;
	check_path()
}

init {
	byte each, one;
	bool is_new;
	atomic {
		course[0] = NONE;
		begin_path(THIEFS);
#ifdef LEARNED
		learned = LEARNED;
#else
		if
		:: learned = NOTHING
		:: learned = BLIND
		:: learned = PAST_SESSION
		:: learned = PASSWORD
		:: learned = OLD_S
		:: learned = RESUME_SECRET
		:: learned = CARRIER
		:: learned = IDENTITY
		fi
#endif
	}
	do
	/* Time. An attempt is short against the rest of a certificate's life. */
	:: atomic { era < 3 && (era < 2 || !(step == ASKING && trusts[0])) -> era++ }
	/* The client. */
	:: atomic { attempt < ATTEMPTS -> begin_attempt() }
	:: atomic { step == ASKING && playing != 0 && course[playing] == ACTIVE -> /* it is heard again */
		step = PLAYING; at = playing; former = 0 }
	:: atomic { step == ASKING && !EXPIRED(0) -> take_cookie(0) }
	:: atomic { step == ASKING && era > 0 -> take_cookie(1) }
	:: atomic { step == ASKING && grants > 0 -> /* an ACCEPT */
		select(one : 1 .. grants);
		if
		:: key[one] == attempt && trusts[certificate[one]] -> step = CONNECTING; at = one
		:: else -> skip
		fi;
		one = 0
	   }
	:: atomic { step == ASKING && KNOWS_PASSWORD && ((trusts[0] && KNOWS_S(0)) || (trusts[1] && KNOWS_S(1))) ->
		/* an ACCEPT by who has the certificate's key */
		SERVER(era < 3);
		break
	   }
	:: atomic { step == ASKING && SIGNS && !trusts_forged -> /* a COOKIE of the attacker */
		trusts_forged = true;
		if
		:: KNOWS_PASSWORD -> leaked[shown[attempt]] = (shown[attempt] != 0)
		:: else -> skip
		fi
	   }
	:: atomic { step == ASKING && trusts_forged && KNOWS_PASSWORD -> SERVER(!trusts_forged); break }
	:: atomic { step == CONNECTING && course[at] == CONNECTED -> /* the connection is there */
		step = PLAYING;
		former = shown[attempt];
		secret = at;
		playing = at;
		confirmed[at] = true
	   }
	:: atomic { step == PLAYING && course[playing] == ACTIVE && former != 0 -> former = 0 }
	:: atomic { step == ASKING && SPEAKS_FOR(attempt) && (trusts[0] || trusts[1]) -> /* an ACCEPT of the attacker */
		SERVER(!SPEAKS_FOR(attempt));
		break
	   }
	/* AUTHs of the client, from anywhere with a cookie for there. */
	:: atomic { grants < GRANTS || seat_is_taken ->
		select(one : 1 .. attempt);
		if
		:: auths[one].is_there[0] && COUNTS(0) -> take_auth(one, CLIENTS, 0, shown[one])
		:: auths[one].is_there[1] && COUNTS(1) -> take_auth(one, CLIENTS, 1, shown[one])
		:: ON_PATH && auths[one].is_there[0] && COUNTS(0) -> take_auth(one, THIEFS, 0, shown[one])
		:: ON_PATH && auths[one].is_there[1] && COUNTS(1) -> take_auth(one, THIEFS, 1, shown[one])
		:: else -> skip
		fi;
		one = 0
	   }
	/* AUTHs of the attacker, who reads a COOKIE where it is sent to. */
	:: atomic { grants < GRANTS && (KNOWS_PASSWORD || HAS_TOKENS) ->
		select(one : 0 .. GRANTS);
		if
		:: one == 0 || leaked[one] -> take_auth(THIEF, THIEFS, CURRENT, one)
#ifndef FAULT_COOKIE_WITHOUT_ADDRESS
		:: (ON_PATH || learned == BLIND_COOKIES) && (one == 0 || leaked[one]) ->
			take_auth(THIEF, CLIENTS, CURRENT, one)
#else
		:: one == 0 || leaked[one] -> take_auth(THIEF, CLIENTS, CURRENT, one)
#endif
		:: else -> skip
		fi;
		one = 0
	   }
	/* The same with the client's ephemeral. */
	:: atomic { grants < GRANTS && SPEAKS_FOR(bare) ->
		select(one : 0 .. GRANTS);
		if
		:: one == 0 || leaked[one] -> take_auth(bare, THIEFS, CURRENT, one)
		:: else -> skip
		fi;
		one = 0
	   }
	/* What that attempt's AUTH and ACCEPT carry. */
	:: atomic { SPEAKS_FOR(bare) && (auths[bare].is_there[0] || auths[bare].is_there[1]) && shown[bare] != 0 &&
		    !leaked[shown[bare]] -> leaked[shown[bare]] = true }
	:: atomic { grants > 0 && SPEAKS_FOR(bare) ->
		select(one : 1 .. grants);
		if
		:: key[one] == bare -> leaked[one] = true
		:: else -> skip
		fi;
		one = 0
	   }
	/* The carrier's CONNECT, from the address of the AUTH: its code needs the grant's keys, and
	 * these the ACCEPT. */
	:: atomic { grants > 0 ->
		select(one : 1 .. grants);
		if
		:: (course[one] == PENDING) &&
		   (((key[one] == THIEF || IS_BARE(one)) && (ON_PATH || from[one] == THIEFS)) ||
		    (step == CONNECTING && at == one)) ->
			course[one] = CONNECTED;
			has_connected[one] = true
#ifdef FAULT_CONNECT_COUNTS_TWICE
		:: course[one] == OVER && has_connected[one] -> course[one] = CONNECTED
#endif
		:: else -> skip
		fi;
		one = 0
	   }
	:: atomic { grants > 0 -> /* a CONFIRM */
		select(one : 1 .. grants);
		if
		:: course[one] == CONNECTED &&
		   (confirmed[one] || key[one] == THIEF || IS_BARE(one) || (learned == PAST_SESSION && sessions[one] > 0)) ->
			take_confirm(one)
		:: else -> skip
		fi;
		one = 0
	   }
	/* The server's patience ends, and a session by silence. */
	:: atomic { grants > 0 ->
		select(one : 1 .. grants);
		if
		:: course[one] == PENDING || course[one] == CONNECTED ->
			release(one);
			end(one);
			is_known[one] = false;
			from[one] = THIEFS
		:: course[one] == ACTIVE ->
			end(one);
			holder = 0;
			begin_path(THIEFS);
			seat_is_taken = false
		:: course[one] != PENDING && course[one] != CONNECTED && is_known[one] -> is_known[one] = false; from[one] = THIEFS
		:: else -> skip
		fi;
		one = 0
	   }
#ifndef STAYS
	/* The session moves. Its client has a router that gives it another address. */
	:: atomic { holder != 0 && key[holder] != THIEF && used == CLIENTS ->
		used = FORMER;
		if
		:: asked == CLIENTS -> asked = NOBODY; has_answer = false
		:: else -> skip
		fi
	   }
	/* A datagram of the client, from where it is or from anywhere; of the attacker, with keys. */
	:: atomic { holder != 0 && key[holder] != THIEF && confirmed[holder] -> take_datagram(CLIENTS) }
	:: atomic { holder != 0 && (key[holder] == THIEF || KNOWS_SESSION(holder) || (ON_PATH && confirmed[holder])) ->
		if
		:: true -> take_datagram(THIEFS)
		:: true -> take_datagram(VICTIM)
		fi
	   }
	/* The client answers a question that reaches it; the attacker its own, with keys. */
	:: atomic { (asked == CLIENTS || asked == THIEFS) && holder != 0 && playing == holder && step == PLAYING &&
		    !has_answer ->
		has_answer = true;
		is_relayed = (is_relayed || asked == THIEFS)
	   }
	:: atomic { has_answer && holder != 0 -> take_response() }
	:: atomic { asked == THIEFS && holder != 0 && (key[holder] == THIEF || KNOWS_SESSION(holder)) -> take_response() }
#ifdef FAULT_TOKEN_IS_GUESSED
	:: atomic { asked == VICTIM && holder != 0 && (key[holder] == THIEF || KNOWS_SESSION(holder)) -> take_response() }
#endif
#endif
	/* A BYE in the client's name. */
	:: atomic { knows_seals && holder != 0 && known == holder ->
		END_OF_KNOWN(!knows_seals);
		end(holder);
		holder = 0;
		begin_path(THIEFS);
		seat_is_taken = false
	   }
	:: atomic { holder != 0 && IS_BARE(holder) ->
		END_OF_KNOWN(!IS_BARE(holder));
		end(holder);
		holder = 0;
		begin_path(THIEFS);
		seat_is_taken = false
	   }
	:: atomic { (learned == CLIENT_EPHEMERAL || learned == CLIENT_EPHEMERAL_AND_PASSWORD) && bare == 0 -> bare = attempt }
	:: atomic { learned == SESSION && playing != 0 && playing == holder ->
		known = playing; knows_seals = true; learned = PASSWORD }
	:: atomic { learned == CARRIER && playing != 0 && playing == holder -> known = playing; learned = PASSWORD }
	:: atomic { learned == RESUME_SECRET && secret != 0 -> leaked[secret] = true; learned = PASSWORD }
	:: break
	od
}
