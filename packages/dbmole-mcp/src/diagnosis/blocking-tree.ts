import { type Finding, formatSeconds } from '@dbmole/core';

/** A session that waits for a lock, or that others wait for. */
export interface LockSession {
  id: string;
  /** `pid 12 (app@shop)`. */
  label: string;
  /** `idle in transaction for 3 min: update …`. */
  state: string;
  /** The ids of those it waits for; empty if it does not wait. */
  blockers: readonly string[];
  waitSeconds: number;
  /** What it waits for, or holds. */
  lock: string;
  /** How a person can end it. */
  end: string;
}

/** Seconds of waiting, and sessions that wait, from which a blocker is a serious finding. */
const alarming = { seconds: 10, waiters: 3 };
const maxNamed = 4;

/** One finding for each root of the trees of waiting: a session that others wait for and that itself waits for none. */
export function findBlockers(sessions: readonly LockSession[]): Finding[] {
  const roots = sessions.filter(({ blockers }) => blockers.length === 0);
  return roots.flatMap((root) => {
    const waiters = collectWaiters(root.id, sessions);
    return waiters.length === 0 ? [] : [formatBlocker(root, waiters)];
  });
}

/** The sessions that wait for this one, directly or queued after others; the nearest first. */
function collectWaiters(root: string, sessions: readonly LockSession[]): LockSession[] {
  const found = new Map<string, LockSession>();
  const open = [root];
  for (let at = 0; at < open.length; at += 1) {
    const id = open[at] ?? '';
    for (const session of sessions) {
      if (!session.blockers.includes(id) || found.has(session.id)) continue;
      found.set(session.id, session);
      open.push(session.id);
    }
  }
  return [...found.values()];
}

function formatBlocker(root: LockSession, waiters: readonly LockSession[]): Finding {
  const maxWait = Math.max(...waiters.map(({ waitSeconds }) => waitSeconds));
  const isAlarming = maxWait >= alarming.seconds || waiters.length >= alarming.waiters;
  const named = waiters.slice(0, maxNamed).map(({ label, waitSeconds, lock, blockers }) => {
    const behind = blockers.includes(root.id) ? '' : ' behind them';
    return `${label} for ${formatSeconds(waitSeconds)}${behind}${lock === '' ? '' : ` (${lock})`}`;
  });
  const more = waiters.length > maxNamed ? [`${waiters.length - maxNamed} more`] : [];
  return {
    severity: isAlarming ? 'high' : 'medium',
    weight: maxWait * waiters.length,
    evidence: `${root.label} blocks ${waiters.length} ${waiters.length === 1 ? 'session' : 'sessions'} and is ${root.state}${root.lock === '' ? '' : `; it holds ${root.lock}`}`,
    consequence: `Waiting: ${[...named, ...more].join('; ')}.`,
    next: root.end,
  };
}
