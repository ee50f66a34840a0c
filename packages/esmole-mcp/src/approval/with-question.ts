import type { Approval, Change, ToolReply } from '@dbmole/core';

/** Ends the round of a call with its question, if there is one, once the connection is free again. */
export async function withQuestion(approval: Approval, sent: Promise<ToolReply | { change: Change }>): Promise<ToolReply> {
  const outcome = await sent;
  return 'change' in outcome ? await approval.ask(outcome.change) : outcome;
}
