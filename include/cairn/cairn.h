// Cairn: piles stand still, fast, and the engine tells you how right it is.
#ifndef CAIRN_H
#define CAIRN_H

#include "cairn/base.h"
#include "cairn/body.h"
#include "cairn/events.h"
#include "cairn/joint.h"
#include "cairn/lab.h"
#include "cairn/mass.h"
#include "cairn/mesh.h"
#include "cairn/model.h"
#include "cairn/path.h"
#include "cairn/problem_file.h"
#include "cairn/query.h"
#include "cairn/ragdoll.h"
#include "cairn/rows.h"
#include "cairn/shape.h"
#include "cairn/world.h"

#endif
