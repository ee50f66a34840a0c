import type { Fields } from '@dbmole/core';

type Pass = (params: Fields) => void;

const windowMs = 1_000;
const maxReports = 20;
const maxMessageLength = 2_000;

/** Passes on some reports of progress in each second, and of each what the protocol knows: a client may read slowly, or not at all. */
export function limitProgress(pass: Pass | undefined): Pass | undefined {
  if (pass === undefined) return undefined;
  let [end, left] = [0, 0];
  return ({ progress, total, message }) => {
    const now = performance.now();
    if (now >= end) [end, left] = [now + windowMs, maxReports];
    left -= 1;
    if (left < 0) return;
    pass({
      ...(typeof progress === 'number' && { progress }),
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message: message.slice(0, maxMessageLength) }),
    });
  };
}
