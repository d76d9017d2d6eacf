/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults.h - faults that are put into calls on purpose, as a text:
 *
 *   SLOT[#N]=FAULT[,...]     assign#3=internal,assign=delay:50,create=no-memory
 *
 * N counts the calls of the slot in this process from 1; without it every call is meant. A FAULT is the word of a status
 * (segue/base.h), which is answered without asking the plugin (no pointer, by a slot that answers with one), or
 *
 *   delay:MS   the plugin is asked so much later
 *   bad-plan   the first task is nobody's
 *   crash      a child is forked for the call and crashes; the call fails with `internal`
 *   abort      the process that asks is ended by SIGABRT
 *   hang       the call does not come back
 */
#ifndef SEGUE_HOSTS_INTERPOSE_FAULTS_H
#define SEGUE_HOSTS_INTERPOSE_FAULTS_H

#include "interpose.h"

enum { SGX_FAULTS_MOST = 32, SGX_SLOT_NAME_MOST = 32 };

enum sgx_fault_kind { SGX_STATUS, SGX_DELAY, SGX_BAD_PLAN, SGX_CRASH, SGX_ABORT, SGX_HANG };

typedef struct sgx_fault {
    char slot[SGX_SLOT_NAME_MOST];
    uint64_t number; /* 0: every call */
    enum sgx_fault_kind kind;
    int32_t status;
    uint32_t delay_ms;
} sgx_fault;

typedef struct sgx_faults {
    sgx_fault rows[SGX_FAULTS_MOST];
    uint32_t count;
} sgx_faults;

/* E_SYNTAX, with the part that is wrong. NULL and "" are no faults at all. */
int32_t sgx_faults_read(sgx_faults *faults, const char *text, segue_error *error);

/* E_SYNTAX, with the name of a slot that the table does not have: its faults would never come. */
int32_t sgx_faults_check(const sgx_faults *faults, const segue_slot_info *table, uint32_t count, segue_error *error);

/* Before a call: waits, ends, or answers; 0: the call is answered. */
int sgx_faults_before(const sgx_faults *faults, sgx_call *call);

/* After it: spoils the plan. */
void sgx_faults_after(const sgx_faults *faults, sgx_call *call);

#endif
