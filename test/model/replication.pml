/*
 * The replication protocol, explored exhaustively by spin: `make model`.
 *
 * Three nodes run the same exchange. The leader decides commands, appends them in batches to a log,
 * and acknowledges them to clients. The others are standbys, which apply what the log holds. The
 * log is a table of a database, next to a row with the leadership. The database is a primary and a
 * replica, which is promoted when the primary is lost. (PostgreSQL calls the replica a synchronous
 * standby; here, a standby is always a node.) A commit returns once the replica has it. If that
 * wait is interrupted, the rows are visible although the replica may lack them; if the primary is
 * lost before the replica gets them, they are gone.
 *
 * Invariants, checked after every step:
 *  1. Every acknowledged batch is in the log of the primary, at its number with its content.
 *  2. What a node has applied is in the log of the primary, so no two nodes differ.
 *  3. At most one batch is acknowledged under a number.
 *  4. Epochs do not fall along the log.
 *  5. The log has no gap and no number twice.
 * With LIVENESS=1: once nothing fails any more, some node leads.
 *
 * Abstractions, and why each only adds runs:
 *  - Time. The lease may end at any time after its grant, and a leader may end at any time, so
 *    every relation between the clocks is covered.
 *  - Renewals that only extend the lease are left out: its end is open anyway. A refused one ends
 *    the leader, which may end anyway.
 *  - Calls. The request, the transaction and the reply are one step: until the reply the caller
 *    only waits, so nobody can see the difference. What goes wrong is a step of its own: the
 *    request is lost, the reply is lost, or the transaction runs after the caller gave up (`late`).
 *    The caller may be killed then. One call is late at a time, any number of them in a run.
 *  - The replica. It follows, or has stopped: then it has what it had, and no commit returns. It
 *    catches up in one step; to have caught up in part is to have stopped again.
 *  - Interrupted waits. A commit that the replica does not get is visible at once. Before the
 *    interruption, it could only delay other transactions.
 *  - Content. A leader decides each number once, so the content of a batch is its number and the
 *    leadership that decided it; a row holds the latter.
 *  - Restarts. A node that ends as leader, is killed or restarts is a standby in one step. Its
 *    local copy holds what it had applied, or less.
 *  - Stops. A process that is stopped and continued is one that takes no step for a while.
 *
 * Assumptions: the promoted replica has every commit that returned; no commit returns from a lost
 * primary; and an interrupted wait is not a success for the caller.
 *
 * Nodes are interchangeable, so every step sorts them, which leaves a fifth of the states. Error
 * trails are readable only without that (UNSORTED=1). The bounds of a search are ROWS, EPOCHS,
 * LEADERSHIPS and FAIL_OVERS, each at most 3.
 */

#ifndef ROWS
#define ROWS 2
#endif
#ifndef EPOCHS
#define EPOCHS 2
#endif
#ifndef LEADERSHIPS
#define LEADERSHIPS EPOCHS
#endif
#ifndef FAIL_OVERS
#define FAIL_OVERS 1
#endif
#ifndef UNSORTED
#define UNSORTED 0
#endif
#ifndef LIVENESS
#define LIVENESS 0
#endif
#define NODES 3
#define NOBODY NODES

/* -DFAULT=… plants one fault. Each must break an invariant. */
#define NONE 0
#define APPEND_IGNORES_EPOCH 1
#define APPEND_IGNORES_END 2
#define ACQUIRE_KEEPS_EPOCH 3
#define ACKNOWLEDGES_BEFORE_APPEND 4
#define ACKNOWLEDGES_REFUSED_APPEND 5
#define INTERRUPTED_COMMIT_COUNTS 6
#define FOUND_ROW_COUNTS 7
#define FOUND_LEADERSHIP_COUNTS 8
#define FORMER_LEADERSHIP_COUNTS 9
#define VISIBLE_ROW_COUNTS 10
#define NEWER_ROW_COUNTS 11
#define DECIDES_BEFORE_END 12
#define KEEPS_UNACKNOWLEDGED 13
#define CONFIRMS_ON_ANOTHER_CONNECTION 14
#define REPORTS_ON_ANOTHER_CONNECTION 15
#define NOTIFIES_ON_ANOTHER_CONNECTION 16
/* This one breaks only the liveness. */
#define LEASE_NEVER_ENDS 17
/* This one must break nothing: safety rests on the epoch; the lease only says who should try. */
#define ACQUIRE_IGNORES_LEASE 18
#ifndef FAULT
#define FAULT NONE
#endif

mtype = {
  Standby,
  Acquiring,  /* The reply to the acquire is lost. */
  Adopting,   /* The row names this node as the holder; a commit must confirm it. */
  Elected,    /* The acquire has returned. */
  CatchingUp, /* It has read where the log ends. */
  Leading,    /* The next batch is decided and not appended. */
  Unsure,     /* The reply to the append is lost, or it was refused. */
  Found,      /* The log has the row; a commit must confirm it. */
  Durable     /* The append is confirmed, and not acknowledged. */
}
mtype = { No, Append, Acquire }

typedef Server {
  byte epoch;
  byte holder = NOBODY;
  byte length;
  byte rowEpoch[ROWS + 1];
  byte rowBatch[ROWS + 1];
}

typedef NodeState {
  mtype state = Standby;
  byte epoch;       /* Its own, while it leads or tries to. */
  byte formerEpoch; /* The epoch before its acquire. */
  byte seen;        /* The end of the log as read before a commit of its own. */
  byte confirmed;   /* Rows up to here cannot be lost. */
  byte applied;     /* Rows up to here are applied, and in `copy`. */
  byte number;      /* The number of the batch that it appends next. */
  byte batch;       /* The content of the batches that it decides. */
  byte copy[ROWS + 1];
}

typedef Call {
  mtype kind = No;
  byte sender = NOBODY;
  byte epoch;
  byte number;
  byte batch;
}

Server primary;
Server replica; /* Clear while it follows, because it then equals the primary. */
bit isReplicating = 1;
bit isLeaseOver = 1;
byte failOvers;
byte leaderships;
byte acknowledged[ROWS + 1];
Call late;
NodeState node[NODES];
#if FAULT == NOTIFIES_ON_ANOTHER_CONNECTION
Server lost; /* A lost primary that still answers. */
#endif

#if LIVENESS
bit isFaultless; /* Nothing fails from here on. */
#else
#define isFaultless false
#endif

byte i;
byte j;

#define me _pid
#define self node[me]

/* The invariants. */

inline check() {
  for (i : 1 .. ROWS) {
    if
    :: i <= primary.length ->
      assert(primary.rowBatch[i] != 0);
      assert(primary.rowEpoch[i] >= primary.rowEpoch[i - 1])
    :: else
    fi;
    if
    :: acknowledged[i] != 0 ->
      assert(i <= primary.length && primary.rowBatch[i] == acknowledged[i])
    :: else
    fi;
    for (j : 0 .. NODES - 1) {
      if
      :: i <= node[j].applied ->
        assert(i <= primary.length && primary.rowBatch[i] == node[j].copy[i])
      :: else
      fi
    }
  }
  i = 0;
  j = 0
}

/* The order of the nodes. */

#define rank(n) \
  ((node[n].state << 24) + (node[n].epoch << 22) + (node[n].formerEpoch << 20) + \
  (node[n].seen << 18) + (node[n].confirmed << 16) + (node[n].applied << 14) + \
  (node[n].number << 12) + (node[n].batch << 10) + \
  ((primary.holder == n) << 2) + ((replica.holder == n) << 1) + (late.sender == n))
#define exchange(field) \
  j = node[one].field; \
  node[one].field = node[other].field; \
  node[other].field = j
#define renumber(place) \
  if \
  :: place == one -> place = other \
  :: place == other -> place = one \
  :: else \
  fi

inline order(one, other) {
  if
  :: rank(one) > rank(other) ->
    exchange(state);
    exchange(epoch);
    exchange(formerEpoch);
    exchange(seen);
    exchange(confirmed);
    exchange(applied);
    exchange(number);
    exchange(batch);
    for (i : 1 .. ROWS) {
      exchange(copy[i])
    }
    i = 0;
    j = 0;
    renumber(primary.holder);
    renumber(replica.holder);
    renumber(late.sender)
  :: else
  fi
}

/* The end of every step. */
inline endStep() {
  check();
#if !UNSORTED
  order(0, 1);
  order(1, 2);
  order(0, 1)
#endif
}

/*
 * Epochs and leaderships are bounded, so the time without faults needs some of its own: for an
 * acquire that was late, and for one whose reply was lost.
 */
#define SPARE (isFaultless -> 3 : 0)

/* The transactions of the database. */

#define isAccepted(theEpoch, theNumber) \
  ((FAULT == APPEND_IGNORES_EPOCH || primary.epoch == theEpoch) && \
  (FAULT == APPEND_IGNORES_END || primary.length + 1 == theNumber))
#define mayAcquire \
  ((FAULT == ACQUIRE_IGNORES_LEASE || isLeaseOver) && primary.epoch < EPOCHS + SPARE)

inline append(theEpoch, theNumber, theBatch) {
  assert(theNumber == primary.length + 1);
  primary.length = theNumber;
  primary.rowEpoch[theNumber] = theEpoch;
  primary.rowBatch[theNumber] = theBatch
}

inline acquire(theNode) {
#if FAULT != ACQUIRE_KEEPS_EPOCH
  primary.epoch++;
#endif
  primary.holder = theNode;
  isLeaseOver = 0
}

inline copyServer(to, from) {
  to.epoch = from.epoch;
  to.holder = from.holder;
  to.length = from.length;
  for (i : 1 .. ROWS) {
    to.rowEpoch[i] = from.rowEpoch[i];
    to.rowBatch[i] = from.rowBatch[i]
  }
  i = 0
}

inline clearServer(server) {
  server.epoch = 0;
  server.holder = NOBODY;
  server.length = 0;
  for (i : 1 .. ROWS) {
    server.rowEpoch[i] = 0;
    server.rowBatch[i] = 0
  }
  i = 0
}

inline clearLate() {
  late.kind = No;
  late.sender = NOBODY;
  late.epoch = 0;
  late.number = 0;
  late.batch = 0
}

/* What a node does with the replies. */

#define is(theState) (self.state == theState)

inline restart() {
#if FAULT == KEEPS_UNACKNOWLEDGED
  if
  :: self.number > self.applied ->
    self.applied = self.number;
    self.copy[self.applied] = self.batch
  :: else
  fi;
#endif
  self.state = Standby;
  self.epoch = 0;
  self.formerEpoch = 0;
  self.seen = 0;
  self.confirmed = self.applied;
  self.number = 0;
  self.batch = 0
}

inline confirm(theNumber) {
  self.confirmed = theNumber;
  if
  :: self.seen <= theNumber -> self.seen = 0
  :: else
  fi
}

inline applyRow(server) {
  self.applied++;
  self.copy[self.applied] = server.rowBatch[self.applied]
}

inline requestLeadership() {
  self.state = Acquiring;
  self.formerEpoch = primary.epoch;
  self.seen = 0;
  self.confirmed = 0
}

inline becomeDurable() {
  self.state = Durable;
  self.applied = self.number;
  self.copy[self.applied] = self.batch
}

inline acknowledge() {
  assert(acknowledged[self.number] == 0 || acknowledged[self.number] == self.batch);
  acknowledged[self.number] = self.batch
}

/* A leader that filled the log decides nothing more: its number is 0. */
inline decide(theNumber) {
  self.state = Leading;
  self.number = (theNumber <= ROWS -> theNumber : 0)
}

/* The leader notifies of the highest number it acknowledged: of any, as notifications get lost. */
#define isNotified(theNumber) \
  (is(Standby) && self.confirmed < theNumber && acknowledged[theNumber] != 0)

active [NODES] proctype Node() {
endNode:
  do

  /* A standby reports its position: it reads the end of the log, and commits. */
  :: d_step {
      is(Standby) && self.confirmed < primary.length && self.seen != primary.length ->
      self.seen = primary.length;
      printf("node %d sees a log of %d\n", me, self.seen);
      endStep()
    }
  :: d_step {
      is(Standby) && self.seen > self.confirmed && isReplicating ->
      printf("node %d reports, which confirms %d\n", me, self.seen);
      confirm(self.seen);
      endStep()
    }
  :: d_step {
      isNotified(1) ->
      printf("node %d is notified of 1\n", me);
      confirm(1);
      endStep()
    }
#if ROWS > 1
  :: d_step {
      isNotified(2) ->
      printf("node %d is notified of 2\n", me);
      confirm(2);
      endStep()
    }
#endif
#if ROWS > 2
  :: d_step {
      isNotified(3) ->
      printf("node %d is notified of 3\n", me);
      confirm(3);
      endStep()
    }
#endif
  :: d_step {
      (is(Standby) || is(CatchingUp)) && self.applied < primary.length &&
      (self.applied < self.confirmed || (FAULT == VISIBLE_ROW_COUNTS && is(Standby))) ->
      applyRow(primary);
      printf("node %d applies %d\n", me, self.applied);
      endStep()
    }
#if FAULT == NOTIFIES_ON_ANOTHER_CONNECTION
  :: d_step {
      is(Standby) && self.applied < self.confirmed && self.applied < lost.length ->
      applyRow(lost);
      printf("node %d applies %d of the lost primary\n", me, self.applied);
      endStep()
    }
#endif

  /* It acquires the leadership. */
  :: d_step {
      is(Standby) && mayAcquire && isReplicating ->
      requestLeadership();
      acquire(me);
      self.state = Elected;
      self.epoch = primary.epoch;
      self.formerEpoch = 0;
      printf("node %d acquires epoch %d\n", me, self.epoch);
      endStep()
    }
  :: d_step {
      !isFaultless && is(Standby) && mayAcquire ->
      requestLeadership();
      acquire(me);
      printf("node %d acquires epoch %d, and the reply is lost\n", me, primary.epoch);
      endStep()
    }
  :: d_step {
      !isFaultless && is(Standby) ->
      requestLeadership();
      printf("node %d requests the leadership, and the request is lost\n", me);
      endStep()
    }
  :: d_step {
      !isFaultless && is(Standby) && late.kind == No ->
      requestLeadership();
      late.kind = Acquire;
      late.sender = me;
      printf("node %d requests the leadership, and the request is late\n", me);
      endStep()
    }
  /* After a lost reply the row says whether the leadership is its own: new, and held by it. */
  :: d_step {
      is(Acquiring) && primary.holder == me &&
      (FAULT == FORMER_LEADERSHIP_COUNTS || primary.epoch > self.formerEpoch) ->
      self.epoch = primary.epoch;
      self.state = (FAULT == FOUND_LEADERSHIP_COUNTS -> Elected : Adopting);
      printf("node %d finds that it holds epoch %d\n", me, self.epoch);
      endStep()
    }
  :: d_step {
      is(Adopting) && primary.epoch == self.epoch && isReplicating ->
      self.state = Elected;
      self.formerEpoch = 0;
      isLeaseOver = 0;
      printf("node %d renews epoch %d\n", me, self.epoch);
      endStep()
    }
  :: d_step {
      (is(Acquiring) && (primary.holder != me || primary.epoch <= self.formerEpoch)) ||
      ((is(Adopting) || is(Found)) && primary.epoch != self.epoch) ->
      printf("node %d finds that it does not lead\n", me);
      restart();
      endStep()
    }
  /*
   * Its acquire was a commit, so all rows of earlier epochs are confirmed. Rows of a later epoch
   * are not: this node was replaced before it read them.
   */
  :: d_step {
      is(Elected) ->
      if
      :: FAULT != NEWER_ROW_COUNTS && primary.rowEpoch[primary.length] > self.epoch ->
        printf("node %d sees a row of a later epoch\n", me);
        restart()
      :: else ->
        self.state = CatchingUp;
        self.confirmed = primary.length;
        self.formerEpoch = 0;
        printf("node %d sees that the log ends at %d\n", me, self.confirmed)
      fi;
      endStep()
    }
  :: d_step {
      is(CatchingUp) && leaderships < LEADERSHIPS + SPARE &&
      (self.applied == self.confirmed || FAULT == DECIDES_BEFORE_END) ->
      leaderships++;
      self.batch = leaderships;
      decide(self.confirmed + 1);
      self.confirmed = 0;
      printf("node %d leads\n", me);
      endStep()
    }

  /* The leader appends the next batch. */
  :: d_step {
      is(Leading) && self.number != 0 && isAccepted(self.epoch, self.number) && isReplicating ->
      append(self.epoch, self.number, self.batch);
      becomeDurable();
      printf("node %d appends %d of epoch %d\n", me, self.number, self.epoch);
      endStep()
    }
  :: d_step {
      !isFaultless && is(Leading) && self.number != 0 && isAccepted(self.epoch, self.number) ->
      append(self.epoch, self.number, self.batch);
      printf("node %d appends %d of epoch %d, and the wait or the reply is lost\n",
        me, self.number, self.epoch);
#if FAULT == INTERRUPTED_COMMIT_COUNTS
      becomeDurable();
#else
      self.state = Unsure;
#endif
      endStep()
    }
  :: d_step {
      is(Leading) && self.number != 0 && !isAccepted(self.epoch, self.number) ->
      self.state = Unsure;
      printf("node %d appends %d of epoch %d, which is refused\n", me, self.number, self.epoch);
#if FAULT == ACKNOWLEDGES_REFUSED_APPEND
      becomeDurable();
#endif
      endStep()
    }
  :: d_step {
      !isFaultless && is(Leading) && self.number != 0 && late.kind == No ->
      late.kind = Append;
      late.epoch = self.epoch;
      late.number = self.number;
      late.batch = self.batch;
      self.state = Unsure;
      printf("node %d appends %d of epoch %d, and the call is late\n",
        me, self.number, self.epoch);
      endStep()
    }
#if FAULT == ACKNOWLEDGES_BEFORE_APPEND
  :: d_step {
      is(Leading) && self.number != 0 ->
      acknowledge();
      printf("node %d acknowledges %d\n", me, self.number);
      endStep()
    }
#endif
  /* It reads the row and the epoch again. */
  :: d_step {
      is(Unsure) ->
      if
      :: primary.length >= self.number && primary.rowBatch[self.number] == self.batch ->
        printf("node %d finds its row %d\n", me, self.number);
#if FAULT == FOUND_ROW_COUNTS
        becomeDurable()
#else
        self.state = Found
#endif
      :: primary.length < self.number && primary.epoch == self.epoch ->
        printf("node %d does not find its row %d\n", me, self.number);
        self.state = Leading
      :: else ->
        printf("node %d finds that it is replaced\n", me);
        restart()
      fi;
      endStep()
    }
  :: d_step {
      is(Found) && primary.epoch == self.epoch && isReplicating ->
      isLeaseOver = 0;
      becomeDurable();
      printf("node %d renews epoch %d, which confirms %d\n", me, self.epoch, self.number);
      endStep()
    }
  :: d_step {
      is(Durable) ->
      acknowledge();
      printf("node %d acknowledges %d\n", me, self.number);
      decide(self.number + 1);
      endStep()
    }

  /* It ends as leader, or is killed; the local copy may have missed the last rows. */
  :: d_step {
      !isFaultless && !is(Standby) ->
      printf("node %d ends as leader, or is killed\n", me);
      restart();
      endStep()
    }
  :: d_step {
      !isFaultless && is(Standby) && self.applied > 0 ->
      self.copy[self.applied] = 0;
      self.applied--;
      restart();
      printf("node %d is killed, and its copy ends at %d\n", me, self.applied);
      endStep()
    }
  od
}

/*
 * All connections end with the primary. What a node read over one of them, no commit over another
 * confirms: it reads again.
 */
inline endConnections() {
  for (i : 0 .. NODES - 1) {
    if
    :: FAULT != REPORTS_ON_ANOTHER_CONNECTION -> node[i].seen = 0
    :: else
    fi;
    if
    :: node[i].state == Found && FAULT != CONFIRMS_ON_ANOTHER_CONNECTION -> node[i].state = Unsure
    :: node[i].state == Adopting -> node[i].state = Acquiring; node[i].epoch = 0
    :: else
    fi
  }
  i = 0
}

/* A leader that lives renews its lease. */
#define isHeldBy(n) \
  (node[n].epoch == primary.epoch && node[n].state != Standby && node[n].state != Acquiring && \
  node[n].state != Adopting)

active proctype Database() {
endDatabase:
  do
  :: d_step {
      FAULT != LEASE_NEVER_ENDS && !isLeaseOver &&
      (!isFaultless || !(isHeldBy(0) || isHeldBy(1) || isHeldBy(2))) ->
      isLeaseOver = 1;
      printf("the lease ends\n");
      endStep()
    }
  :: d_step {
      !isFaultless && isReplicating && failOvers < FAIL_OVERS ->
      failOvers++;
      isReplicating = 0;
      copyServer(replica, primary);
      printf("the replica stops following\n");
      endStep()
    }
  :: d_step {
      !isReplicating ->
#if FAULT == NOTIFIES_ON_ANOTHER_CONNECTION
      copyServer(lost, primary);
#endif
      copyServer(primary, replica);
      clearServer(replica);
      isReplicating = 1;
      endConnections();
      printf("the primary is lost; the log of the replica ends at %d\n", primary.length);
      endStep()
    }
  :: d_step {
      !isReplicating ->
      clearServer(replica);
      isReplicating = 1;
      failOvers--;
      printf("the replica catches up\n");
      endStep()
    }
  :: d_step {
      late.kind == Append && isAccepted(late.epoch, late.number) ->
      append(late.epoch, late.number, late.batch);
      printf("the late append of %d runs\n", late.number);
      clearLate();
      endStep()
    }
  :: d_step {
      late.kind == Acquire && mayAcquire ->
      acquire(late.sender);
      printf("the late acquire of node %d runs\n", late.sender);
      clearLate();
      endStep()
    }
  :: d_step {
      late.kind != No ->
      clearLate();
      printf("the late call is refused, or lost\n");
      endStep()
    }
#if LIVENESS
  :: d_step { !isFaultless -> isFaultless = 1; printf("nothing fails from here on\n") }
#endif
  od
}

#if LIVENESS
#define isLedBy(n) \
  (node[n].epoch == primary.epoch && (node[n].state == Leading || node[n].state == Durable))
ltl recovery { [] (isFaultless -> <> (isLedBy(0) || isLedBy(1) || isLedBy(2))) }
#endif
