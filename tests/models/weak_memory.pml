/* A memory as weak as the one that C17 describes. The models of weak_*.pml include it, after they
 * define THREADS, ATOMICS (their number) and DATA (the number of plain variables).
 *
 * Each atomic variable has its newest store and the one before. A thread may read the older one
 * until it learns of the newest: its own copy of the variable then waits in a buffer that drains at
 * any time, a buffer for each variable and reader. What a thread knows are bits: of each atomic
 * variable whether it knows the newest store, of each plain one the last write and each thread's
 * last read. A release store takes the knowledge of its thread along, and an acquire load gets it.
 * A read-modify-write sees the newest store, and passes on what that one took along (a release
 * sequence); a plain store does not. Of two seq_cst accesses, the later one sees the earlier.
 *
 * A plain variable is only ever accessed by a thread that knows of all accesses that conflict:
 * otherwise it reads what is not published, or writes what another still reads.
 *
 * Left out: a load that takes its value from a store that comes later in time, a copy that is two
 * stores old, and stores of two threads to one variable that take effect in another order than they
 * are made. */
#define RELAXED 0
#define ACQUIRE 1
#define RELEASE 2
#define ACQ_REL 3
#define SEQ_CST 7
#define ORDER   4 /* the bit that only SEQ_CST has */

#define NEWEST(var)        (1 << (var))
#define WRITTEN(data)      (1 << (ATOMICS + (data) * (1 + THREADS)))
#define READ_BY(data, who) (WRITTEN(data) << (1 + (who)))
#define EVER(data)         (WRITTEN(data) * ((1 << (1 + THREADS)) - 1))
#define EVERYTHING         ((1 << (ATOMICS + DATA * (1 + THREADS))) - 1)

int knows[THREADS];
byte newest[ATOMICS], older[ATOMICS];
int tells[ATOMICS], told[ATOMICS]; /* what an acquire load of the newest, of the older one learns */
int ordered;                       /* the newest store is a seq_cst one */
hidden byte each_;
hidden int learned_;
hidden byte is_published, is_free;

/* In a d_step: what is new is known to nobody. */
inline forget(bits)
{
	ordered = ordered & ~(bits);
	each_ = 0;
	do
	:: each_ < THREADS -> knows[each_] = knows[each_] & ~(bits); each_++
	:: else -> break
	od;
	each_ = 0;
	do
	:: each_ < ATOMICS ->
	   tells[each_] = tells[each_] & ~(bits);
	   told[each_] = told[each_] & ~(bits);
	   each_++
	:: else -> break
	od
}

inline begin_memory()
{
	d_step {
		each_ = 0;
		do
		:: each_ < THREADS -> knows[each_] = EVERYTHING; each_++
		:: else -> break
		od;
		each_ = 0;
		do
		:: each_ < ATOMICS -> older[each_] = newest[each_]; each_++
		:: else -> break
		od
	}
}

inline store(who, var, value, order)
{
	d_step {
		older[var] = newest[var];
		told[var] = tells[var];
		newest[var] = value;
		forget(NEWEST(var));
		knows[who] = knows[who] | NEWEST(var);
		tells[var] = (((order) & RELEASE) -> knows[who] : NEWEST(var));
		ordered = ordered | (((order) & ORDER) -> NEWEST(var) : 0)
	}
}

inline load(who, var, into, order)
{
	atomic {
		if
		:: into = newest[var]; learned_ = tells[var]; knows[who] = knows[who] | NEWEST(var)
		:: !(knows[who] & NEWEST(var)) && !(((order) & ORDER) && (ordered & NEWEST(var))) ->
		   into = older[var]; learned_ = told[var]
		fi;
		knows[who] = knows[who] | (((order) & ACQUIRE) -> learned_ : 0)
	}
}

/* In a d_step or atomic: a read-modify-write, whose new value is computed from newest[var]. */
inline modify(who, var, value, order)
{
	older[var] = newest[var];
	told[var] = tells[var];
	knows[who] = knows[who] | (((order) & ACQUIRE) -> tells[var] : 0);
	newest[var] = value;
	forget(NEWEST(var));
	knows[who] = knows[who] | NEWEST(var);
	tells[var] = tells[var] | (((order) & RELEASE) -> knows[who] : NEWEST(var));
	ordered = ordered | (((order) & ORDER) -> NEWEST(var) : 0)
}

inline read_data(who, data)
{
	d_step {
		is_published = ((knows[who] & WRITTEN(data)) != 0);
		assert(is_published);
		forget(READ_BY(data, who));
		knows[who] = knows[who] | READ_BY(data, who)
	}
}

/* The reads before it are known to all who know of the write, so they are no longer told apart. */
inline write_data(who, data)
{
	d_step {
		is_free = ((knows[who] & EVER(data)) == EVER(data));
		assert(is_free);
		forget(WRITTEN(data));
		knows[who] = knows[who] | WRITTEN(data);
		each_ = 0;
		do
		:: each_ < THREADS ->
		   knows[each_] = knows[each_] | (EVER(data) & ~WRITTEN(data)); each_++
		:: else -> break
		od
	}
}

/* A mutex is an atomic variable that only these use. */
inline lock(who, mutex)
{
	atomic {
		!newest[mutex] -> newest[mutex] = 1;
		knows[who] = knows[who] | tells[mutex]
	}
}

inline unlock(who, mutex)
{
	d_step {
		tells[mutex] = knows[who];
		newest[mutex] = 0
	}
}
