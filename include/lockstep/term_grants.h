/* The uses that a kind of term grants: the members of its union in the struct of LS_TERMS
 * (include/lockstep/terms.h). Each points to what the use gives. A system header for the reason in
 * include/lockstep/define_table.h. */
#ifndef LS_TERM_GRANTS_H
#define LS_TERM_GRANTS_H
#pragma GCC system_header

#define LS_GRANT_TEST(cell)  const cell *may_test;
#define LS_GRANT_READ(cell)  LS_GRANT_TEST(cell) const cell *may_read;
#define LS_GRANT_WRITE(cell) LS_GRANT_READ(cell) cell *may_write;
#define LS_GRANT_STRUCTURE(cell)                                                                   \
    LS_GRANT_WRITE(cell) cell *may_attach;                                                         \
    cell *may_detach;
#define LS_GRANT_ATTACH(cell)          cell *may_attach;
#define LS_GRANT_COMMAND(cell)         cell *may_command;
#define LS_GRANT_ACCUMULATE(cell)      cell *may_accumulate;
#define LS_GRANT_WRITE_PARTNER(cell)   cell *may_write_partner;
#define LS_GRANT_READ_SINGLETON(cell)  const cell *may_read_singleton;
#define LS_GRANT_WRITE_SINGLETON(cell) LS_GRANT_READ_SINGLETON(cell) cell *may_write_singleton;
/* `may_observe` points to the type of LS_EACH_CHANGE's variable: ls_cell_change with cells. */
#define LS_GRANT_OBSERVE(cell)                                                                     \
    LS_GRANT_READ(cell) struct {                                                                   \
        ls_entity entity;                                                                          \
        ls_cell_change_kind kind;                                                                  \
        const cell *before, *now;                                                                  \
    } * may_observe;
#define LS_GRANT_SEND(cell)    cell *may_send;
#define LS_GRANT_RECEIVE(cell) const cell *may_receive;

#endif
