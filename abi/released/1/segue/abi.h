/* SPDX-License-Identifier: Apache-2.0 */
/* segue/abi.h - the whole border in one include. */
#ifndef SEGUE_ABI_H
#define SEGUE_ABI_H

#include "segue/base.h"
#include "segue/config.h"
#include "segue/entry.h"
#include "segue/group.h"
#include "segue/note.h"
#include "segue/plan.h"
#include "segue/reason.h"
#include "segue/session.h"
#include "segue/slots.h"
#include "segue/wire.h"

#endif
