import { CommandError } from '../command-error.ts';
import { commandName } from '../command-name.ts';
import { EXIT } from '../exit-codes.ts';

interface ErrorBody {
  readonly error?: string | { readonly code?: number; readonly message?: string };
}

/**
 * `fetch` for everything that the command sends to a gateway: it hands the token to that gateway's origin only, follows
 * no redirects, and turns what is no answer (nobody there, 401, 429, 503 …) into an error that says what to do.
 */
export function createCheckedFetch({
  url,
  token,
  tokenHint,
}: {
  url: string;
  token?: string;
  tokenHint: string;
}): typeof fetch {
  const { origin } = new URL(url);
  return async (input, init) => {
    const request = new Request(input, { ...init, redirect: 'error' });
    if (token !== undefined && new URL(request.url).origin === origin)
      request.headers.set('Authorization', `Bearer ${token}`);
    let response: Response;
    try {
      response = await fetch(request);
    } catch (error) {
      if (init?.signal?.aborted === true) throw error;
      throw nobodyAnswers(url, error);
    }
    if (response.ok) return response;
    throw await toRefusal(response, { url, token, tokenHint });
  };
}

function nobodyAnswers(url: string, cause: unknown): CommandError {
  return new CommandError(EXIT.unavailable, 'unavailable', `Nothing answers at ${url} (${reasonOf(cause)}).`, {
    next: `Start it with "${commandName()} up", or say where it is with --url or LONGHAUL_URL.`,
    cause,
  });
}

async function toRefusal(
  response: Response,
  { url, token, tokenHint }: { url: string; token: string | undefined; tokenHint: string },
): Promise<CommandError> {
  const said = await readError(response);
  switch (response.status) {
    case 401:
    case 403:
      return new CommandError(
        EXIT.unauthenticated,
        'unauthenticated',
        token === undefined ? `${url} wants to know who is calling.` : `${url} does not accept this token.`,
        { next: `Put the token into ${tokenHint}.` },
      );
    case 429:
    case 502:
    case 503:
    case 504: {
      const seconds = response.headers.get('Retry-After');
      return new CommandError(
        EXIT.unavailable,
        response.status === 429 ? 'busy' : 'unavailable',
        sentence(said ?? `${url} cannot answer now`),
        {
          next: seconds === null ? 'Try again in a moment.' : `Try again in ${seconds} s.`,
        },
      );
    }
    case 404:
      return new CommandError(EXIT.notFound, 'not-found', sentence(said ?? `There is nothing at ${response.url}`));
    default:
      return new CommandError(
        EXIT.failed,
        `http-${response.status}`,
        sentence(said ?? `${url} answers with HTTP ${response.status}`),
      );
  }
}

/** The `error` of a JSON-RPC envelope or of a plain body. */
async function readError(response: Response): Promise<string | undefined> {
  try {
    const { error } = (await response.json()) as ErrorBody;
    return typeof error === 'string' ? error : error?.message;
  } catch {
    return undefined; // HTML of something in between says nothing to us
  }
}

export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error) return (cause as NodeJS.ErrnoException).code ?? cause.message;
  return String(cause);
}
