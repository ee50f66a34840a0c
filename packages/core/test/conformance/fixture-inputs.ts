import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** Tools that ask the client for input by a result, as the protocol of 2026 does. Names and texts are those that the suite looks for. */

type Answer = string | ReturnType<typeof inputRequired>;
type InputTool = (context: ServerContext) => Answer | Promise<Answer>;

interface State {
  kind: string;
  name?: string;
}

/** Signed: what a client sends back may be anything. */
export const stateCodec = createRequestStateCodec<State>({ key: 'a key for tests, of 32 bytes at least' });

const ask = (field: string, message: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  });
const askConfirm = () =>
  inputRequired.elicit({
    message: 'Please confirm',
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  });
const sample = (text: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 });
const mint = (context: ServerContext, state: State) => stateCodec.mint(state, context);
const held = ({ mcpReq }: ServerContext) => mcpReq.requestState<State>();
const textOf = ({ mcpReq }: ServerContext, key: string, field: string) =>
  acceptedContent<Record<string, string>>(mcpReq.inputResponses, key)?.[field];

const askName = () => ask('name', 'What is your name?');

function sampledText(context: ServerContext, key: string): string | undefined {
  const view = inputResponse(context.mcpReq.inputResponses, key);
  if (view.kind !== 'sampling') return undefined;
  const { content } = view.result;
  return 'text' in content ? content.text : 'no text';
}

function countRoots(context: ServerContext, key: string): number | undefined {
  const view = inputResponse(context.mcpReq.inputResponses, key);
  return view.kind === 'roots' ? view.roots.length : undefined;
}

/** Asks for one confirmation with a signed state, and answers once both are back. */
const confirmWith =
  (kind: string, done: string): InputTool =>
  async (context) => {
    const isConfirmed = acceptedContent(context.mcpReq.inputResponses, 'confirm') !== undefined;
    if (held(context)?.kind === kind && isConfirmed) return done;
    return inputRequired({ inputRequests: { confirm: askConfirm() }, requestState: await mint(context, { kind }) });
  };

async function askTwice(context: ServerContext): Promise<Answer> {
  const state = held(context);
  const name = textOf(context, 'step1', 'name');
  const color = textOf(context, 'step2', 'color');
  if (state?.kind === 'second' && color !== undefined) return `Multi-round complete for ${state.name} who likes ${color}`;
  if (state?.kind === 'first' && name !== undefined) {
    const step2 = ask('color', 'Step 2: What is your favorite color?');
    return inputRequired({ inputRequests: { step2 }, requestState: await mint(context, { kind: 'second', name }) });
  }
  const step1 = ask('name', 'Step 1: What is your name?');
  return inputRequired({ inputRequests: { step1 }, requestState: await mint(context, { kind: 'first' }) });
}

async function askAtOnce(context: ServerContext): Promise<Answer> {
  const name = textOf(context, 'user_name', 'name');
  const greeting = sampledText(context, 'greeting');
  const roots = countRoots(context, 'client_roots');
  if (name !== undefined && greeting !== undefined && roots !== undefined) {
    return `Name: ${name}; Greeting: ${greeting}; Roots: ${roots}`;
  }
  return inputRequired({
    inputRequests: { user_name: askName(), greeting: sample('Generate a greeting'), client_roots: inputRequired.listRoots() },
    requestState: await mint(context, { kind: 'several' }),
  });
}

/** Asks only for what the client says it can give. */
async function askWhatIsDeclared(context: ServerContext): Promise<Answer> {
  const { inputResponses = {} } = context.mcpReq;
  const given = Object.keys(inputResponses);
  if (given.length > 0) return `capabilities-ok: received ${given.join(',')}`;
  const { elicitation, sampling } = declared(context);
  const inputRequests: InputRequests = {
    ...(elicitation === undefined ? {} : { elicit_input: ask('value', 'Some input') }),
    ...(sampling === undefined ? {} : { sample_input: sample('Some text') }),
  };
  if (Object.keys(inputRequests).length === 0) return 'no supported capability was declared';
  return inputRequired({ inputRequests, requestState: await mint(context, { kind: 'declared' }) });
}

function declared({ mcpReq }: ServerContext): { elicitation?: unknown; sampling?: unknown } {
  return Reflect.get(mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY) ?? {};
}

export const inputTools: Readonly<Record<string, InputTool>> = {
  test_missing_capability: (context) => {
    if (declared(context).sampling !== undefined) return 'the capability is there';
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  },
  test_input_required_result_elicitation: (context) => {
    const name = textOf(context, 'user_name', 'name');
    return name === undefined ? inputRequired({ inputRequests: { user_name: askName() } }) : `Hello, ${name}!`;
  },
  test_input_required_result_sampling: (context) => {
    const text = sampledText(context, 'sample_request');
    const sample_request = sample('What is the capital of France?');
    return text === undefined ? inputRequired({ inputRequests: { sample_request } }) : `Sampling result: ${text}`;
  },
  test_input_required_result_list_roots: (context) => {
    const count = countRoots(context, 'roots_request');
    const roots_request = inputRequired.listRoots();
    return count === undefined ? inputRequired({ inputRequests: { roots_request } }) : `Found ${count} root(s)`;
  },
  test_input_required_result_request_state: confirmWith('request-state', 'state-ok: requestState validated'),
  test_input_required_result_tampered_state: confirmWith('tamper-test', 'integrity-ok: state verified'),
  test_input_required_result_multiple_inputs: askAtOnce,
  test_input_required_result_multi_round: askTwice,
  test_input_required_result_capabilities: askWhatIsDeclared,
};

/** The one prompt that asks first. */
export function askForPrompt(context: ServerContext) {
  const text = textOf(context, 'user_context', 'context');
  if (text === undefined) {
    const user_context = ask('context', 'What context should the prompt use?');
    return inputRequired({ inputRequests: { user_context } });
  }
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: `Prompt with context: ${text}` } }] };
}
