import { ApiError, post } from './api.ts';

interface ServerEvent {
  /** The id of a part, or `hello`. */
  name: string;
  data: object;
}

/** The server sends something at least every ten seconds. */
const silenceMs = 25_000;

/** Reads the events of the server until the connection ends. Throws when it is lost, silent for long, or refused. */
export async function readEvents(take: (event: ServerEvent) => void, signal: AbortSignal): Promise<void> {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), silenceMs);
  try {
    const { body } = await post('events', {}, AbortSignal.any([signal, silent.signal]));
    if (body === null) throw new ApiError('the server sent nothing');
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new ApiError('the connection was closed');
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), silenceMs);
      const pieces = (text + value).split('\n\n');
      text = pieces.pop() ?? '';
      for (const piece of pieces) takePiece(piece, take);
    }
  } finally {
    clearTimeout(timer);
  }
}

function takePiece(piece: string, take: (event: ServerEvent) => void): void {
  const [, name = '', data = ''] = /^event: (\S+)\ndata: (.*)$/s.exec(piece) ?? [];
  // Anything else is a comment that keeps the connection alive.
  if (name !== '') take({ name, data: JSON.parse(data) as object });
}
