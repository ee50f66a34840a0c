import type * as z from 'zod';
import type { ToolReply } from '../../answer/respond.ts';
import { Failure } from '../../failure.ts';
import type { Caller } from '../../tools/caller.ts';

/** What an action of the page can use. */
export interface PageContext {
  /** Aborted when the browser gives the request up, or the server stops. */
  readonly signal: AbortSignal;
  /** Calls a tool as a client of MCP does: policy, guard, limits and audit apply. Throws when there is no such tool. */
  call(tool: string, args: unknown, more?: Pick<Caller, 'person' | 'round'>): Promise<ToolReply>;
}

/** Something that the page asks of the server. */
interface PageAction {
  /** Throws a Failure for an input that is not accepted, and whatever the action throws. The result is plain data. */
  run(input: unknown, context: PageContext): Promise<object>;
}

/**
 * The server's side of one panel. The page shows the panel of the same id if, and only if, the server has this part; a panel that only calls
 * tools has a part without actions.
 */
export interface PagePart {
  readonly id: string;
  readonly actions?: Readonly<Record<string, PageAction>>;
  /** Begins to send events to one open page, the whole state first; returns how to stop. `send` never throws. */
  watch?(send: (event: object) => void): () => void;
}

interface ActionSource<Schema extends z.ZodType> {
  input(): Schema;
  run(input: z.output<Schema>, context: PageContext): Promise<object>;
}

/** An action whose input has the type of its schema inside, and is `unknown` outside. Its schema is built when it is first needed. */
export function defineAction<Schema extends z.ZodType>({ input, run }: ActionSource<Schema>): PageAction {
  let schema: Schema | undefined;
  return {
    async run(given, context) {
      schema ??= input();
      const parsed = schema.safeParse(given);
      if (!parsed.success) throw new Failure('input', `invalid input of the page: ${parsed.error.issues[0]?.message ?? ''}`);
      return await run(parsed.data, context);
    },
  };
}
