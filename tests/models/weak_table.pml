/* The orders of core/state/table.c, store.c and store_spawn.h by which a system checks handles of a
 * lane while another one, without an order with it, spawns there. Thread 0 spawns entity NEW, and
 * maybe one more; thread 1 checks the handle of OLD, which lived before, and guesses that of NEW.
 *
 * The lane is at first without a directory (BARE), its page is shared with a snapshot (SHARED), or
 * it has a page of its own with the spawns of an earlier epoch (OWN).
 *
 * Checked: the reader reads pages and directories that are complete; OLD is alive to it and NEW is
 * dead, whatever it sees; the old page is reused after the reader has ended.
 *
 * -DFAULT_... plants a fault that the checker has to find.
 *
 * The accesses of the program, and which of the model they are; orders.py compares all three. Those
 * without one are ordered by the schedule, by the queue or between ticks (docs/testing.md):
 *   core/state/table.h
 *     ls_table_directory load directories: DIRECTORY, READS_DIRECTORY
 *     ls_directory_page load page: ENTRY, READS_PAGE
 *     ls_directory_is_full load full: -, RELAXED
 *     ls_directory_open_pages load may_be_closed: -, RELAXED
 *     ls_directory_open_pages load stale: -, RELAXED
 *     ls_table_page_count load page_count: -, RELAXED
 *     ls_table_reclaim load has_emptied: -, RELAXED
 *   core/state/table.c
 *     ls_table_share fetch_add refs: -, RELAXED
 *     drop fetch_sub refs: -, ACQ_REL
 *     is_shared load refs: -, ACQUIRE
 *     directory_at load directories: -, ACQUIRE
 *     set_directory store directories: DIRECTORY, SETS_DIRECTORY
 *     release_directory load page: -, RELAXED
 *     copy_bits load from: -, RELAXED
 *     set_bit load word: -, RELAXED
 *     set_bit fetch_or word: -, RELAXED
 *     set_bit fetch_and word: -, RELAXED
 *     note_closed load stale: -, RELAXED
 *     note_closed store may_be_closed: -, RELAXED
 *     copy_directory load page: -, RELAXED
 *     copy_directory load is_open: -, RELAXED
 *     copy_directory store is_open: -, RELAXED
 *     copy_directory fetch_add refs: -, RELAXED
 *     copy_table load has_emptied: -, RELAXED
 *     copy_table load page_count: -, RELAXED
 *     copy_table fetch_add refs: -, RELAXED
 *     note_move fetch_add moves: -, RELEASE
 *     own_page load entry: -, RELAXED
 *     own_page store entry: ENTRY, SETS_PAGE
 *     raise_page_count load page_count: -, RELAXED
 *     raise_page_count compare_exchange_weak page_count: -, RELAXED, RELAXED
 *     ls_table_open load entry: -, RELAXED
 *     ls_table_open store entry: ENTRY, SETS_PAGE
 *     ls_table_settle store has_emptied: -, RELAXED
 *     remove_page store page: -, RELAXED
 *     reclaim_directory load page: -, RELAXED
 *     reclaim_directory load occupied: -, RELAXED
 *     ls_table_reclaim_emptied load emptied: -, RELAXED
 *     ls_table_reclaim_emptied store has_emptied: -, RELAXED
 *     next_bit load bits: -, RELAXED
 *   core/state/store.h
 *     ls_store_is_alive load ls_page_generations: LIFE, READS_LIFE
 *     ls_store_find_page load ls_page_generations: -, ACQUIRE
 *   core/state/store.c
 *     ls_store_is_spawned load spawn_epoch: EPOCH, READS_EPOCH
 *     ls_store_is_spawned load spawned: SPAWNED, RELAXED
 *     ls_store_spawn_in_page store generations: LIFE, SETS_LIFE
 *   core/state/store_spawn.h
 *     ls_begin_spawns_ load spawn_epoch: -, RELAXED
 *     ls_begin_spawns_ store spawned: SPAWNED, RELAXED
 *     ls_begin_spawns_ store spawn_epoch: EPOCH, SETS_EPOCH
 *     ls_note_spawns_ load spawned: -, RELAXED
 *     ls_note_spawns_ store spawned: SPAWNED, RELAXED
 *     ls_store_spawn_place_of load spawn_epoch: -, RELAXED
 *     ls_store_spawn_at store generation: LIFE, SETS_LIFE
 *   The end of the queue (weak_queue.pml), and what is set before the page is published:
 *     only modify: LEFT, RELEASE
 *     only load: LEFT, ACQUIRE
 *     only store: EPOCH, RELAXED
 *     only store: LIFE, RELAXED */
#define THREADS 2
#define DIRECTORY 0
#define ENTRY     1 /* of the directory: 0, or 1 + the page */
#define EPOCH     2 /* of each page */
#define SPAWNED   4 /* of each page: a bit for each slot */
#define LIFE      6 /* of each page: the generation of NEW's slot */
#define LEFT      8 /* the end of the queue (weak_queue.pml) */
#define ATOMICS   9
#define LIST 0 /* what a directory has besides ENTRY */
#define PAGE 1 /* of each page, what does not change: OLD's generation, and what is set before publication */
#define DATA 3
#include "weak_memory.pml"

#define BARE   0
#define SHARED 1
#define OWN    2
#define NOW    2 /* world->spawn_epoch */
#define OLD    1 /* bits of `spawned` */
#define NEW    2
#define MORE   4
#define FREE   2 /* generations of NEW's slot */
#define LIVES  3

#ifdef FAULT_SETS_DIRECTORY_RELAXED
#define SETS_DIRECTORY RELAXED
#else
#define SETS_DIRECTORY RELEASE
#endif
#ifdef FAULT_READS_DIRECTORY_RELAXED
#define READS_DIRECTORY RELAXED
#else
#define READS_DIRECTORY ACQUIRE
#endif
#ifdef FAULT_SETS_PAGE_RELAXED
#define SETS_PAGE RELAXED
#else
#define SETS_PAGE RELEASE
#endif
#ifdef FAULT_READS_PAGE_RELAXED
#define READS_PAGE RELAXED
#else
#define READS_PAGE ACQUIRE
#endif
#ifdef FAULT_SETS_EPOCH_RELAXED
#define SETS_EPOCH RELAXED
#else
#define SETS_EPOCH RELEASE
#endif
#ifdef FAULT_READS_EPOCH_RELAXED
#define READS_EPOCH RELAXED
#else
#define READS_EPOCH ACQUIRE
#endif
#ifdef FAULT_SETS_LIFE_RELAXED
#define SETS_LIFE RELAXED
#else
#define SETS_LIFE RELEASE
#endif
#ifdef FAULT_READS_LIFE_RELAXED
#define READS_LIFE RELAXED
#else
#define READS_LIFE ACQUIRE
#endif

byte kind;

/* ls_table_page(): 0, or 1 + the page. */
inline find_page()
{
	load(1, DIRECTORY, page, READS_DIRECTORY);
	if
	:: page ->
	   read_data(1, LIST);
	   load(1, ENTRY, page, READS_PAGE)
	:: else
	fi;
	if
	:: page -> read_data(1, PAGE + page - 1)
	:: else
	fi
}

/* ls_store_is_alive(): `is_alive`. */
inline look(slot)
{
	is_alive = false;
	find_page();
	if
	:: page && slot == OLD -> is_alive = (kind != BARE)
	:: page && slot == NEW ->
	   load(1, LIFE + page - 1, value, READS_LIFE);
	   is_alive = (value == LIVES)
	:: else
	fi
}

/* ls_is_alive_to(), with ls_store_is_spawned() */
inline check(slot)
{
	look(slot);
	if
	:: is_alive -> look(slot)
	:: else
	fi;
	if
	:: is_alive ->
	   find_page();
	   load(1, EPOCH + page - 1, value, READS_EPOCH);
	   if
	   :: value == NOW ->
	      load(1, SPAWNED + page - 1, value, RELAXED);
	      is_alive = !(value & slot)
	   :: else
	   fi
	:: else
	fi;
	page = 0;
	value = 0
}

proctype reader()
{
	byte page, value, times;
	bool is_alive;
	do
	:: times < 2 ->
	   times++;
	   if
	   :: check(NEW); assert(!is_alive)
	   :: kind != BARE -> check(OLD); assert(is_alive)
	   fi;
	   is_alive = false
	:: times -> break
	od;
	atomic { modify(1, LEFT, 0, RELEASE) }
}

/* ls_begin_spawns_() and ls_note_spawns_() of page `own` */
inline note(slot)
{
	if
	:: newest[EPOCH + own] != NOW ->
#ifdef FAULT_CLEARS_AFTER_THE_EPOCH
	   store(0, EPOCH + own, NOW, SETS_EPOCH);
	   store(0, SPAWNED + own, 0, RELAXED)
#else
	   store(0, SPAWNED + own, 0, RELAXED);
	   store(0, EPOCH + own, NOW, SETS_EPOCH)
#endif
	:: else
	fi;
	store(0, SPAWNED + own, newest[SPAWNED + own] | slot, RELAXED)
}

inline spawn()
{
#ifdef FAULT_NOTES_AFTER_IT_SPAWNS
	store(0, LIFE + own, LIVES, SETS_LIFE);
	note(NEW)
#else
	note(NEW);
	store(0, LIFE + own, LIVES, SETS_LIFE)
#endif
}

/* make_page() or copy_page(), whose stores nobody sees before the page is published */
inline fill()
{
	write_data(0, PAGE + own);
	d_step { store(0, EPOCH + own, 0, RELAXED); store(0, LIFE + own, FREE, RELAXED) }
}

init {
	byte own, left;
	atomic {
		if
		:: kind = BARE
		:: kind = SHARED
		:: kind = OWN
		fi;
		if
		:: kind != BARE ->
		   newest[DIRECTORY] = 1;
		   newest[ENTRY] = 1;
		   newest[EPOCH] = 1; /* of the spawns of OLD and of the one that freed NEW's slot */
		   newest[SPAWNED] = OLD | NEW;
		   newest[LIFE] = FREE
		:: else
		fi;
		newest[EPOCH + 1] = NOW; /* what a block of the pool has */
		newest[SPAWNED + 1] = OLD;
		newest[LIFE + 1] = LIVES;
		newest[LEFT] = 1;
		begin_memory();
		run reader()
	}
	if
	:: kind == BARE ->
	   write_data(0, LIST);
	   store(0, DIRECTORY, 1, SETS_DIRECTORY);
	   fill();
	   store(0, ENTRY, 1, SETS_PAGE)
	:: kind == SHARED ->
	   read_data(0, PAGE);
	   own = 1;
#ifdef FAULT_SETS_BEFORE_IT_COPIES
	   store(0, ENTRY, 2, SETS_PAGE);
	   fill()
#else
	   fill();
	   store(0, ENTRY, 2, SETS_PAGE)
#endif
	:: kind == OWN
	fi;
	if
	:: note(MORE) /* another entity is spawned first, or none */
	:: true
	fi;
	spawn();
#ifndef FAULT_REUSES_AT_ONCE
	do
	:: load(0, LEFT, left, ACQUIRE);
	   if
	   :: left == 0 -> break
	   :: else
	   fi
	od;
#endif
	if
	:: kind == SHARED -> write_data(0, PAGE) /* the snapshot is destroyed */
	:: else
	fi
}
