/** One event of a server-sent event stream (WHATWG HTML §9.2.6). */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  /** The last `id:` that came, with this event or before it. */
  readonly lastEventId: string;
}

/**
 * Parses a stream of server-sent events. `onActivity` is told of every byte, comments included: they are how a server
 * shows that it is still there.
 */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  onActivity: () => void,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let lastEventId = '';
  let event = '';
  let data: string[] = [];
  for await (const chunk of body) {
    onActivity();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { event: event || 'message', data: data.join('\n'), lastEventId };
        event = '';
        data = [];
        continue;
      }
      const [field, value] = splitField(line);
      if (field === 'data') data.push(value);
      else if (field === 'id' && !value.includes('\0')) lastEventId = value;
      else if (field === 'event') event = value;
    }
  }
}

function splitField(line: string): [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}
