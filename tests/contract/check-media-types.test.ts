import { describe, expect, it } from '@jest/globals';
import { checkMediaTypes } from '../../src/contract/check-media-types.ts';
import type { Part } from '../../src/domain/a2a.ts';
import { inputModesOf } from '../../src/domain/media-type.ts';
import type { Publication } from '../../src/domain/pipeline.ts';

const check = (parts: readonly Part[], publication: Partial<Publication> = {}): void =>
  checkMediaTypes({ messageId: 'm', role: 'ROLE_USER', parts }, inputModesOf(publication as Publication));

describe('the media types of a message', () => {
  it.each<[Partial<Publication>, Part[]]>([
    [{}, [{ text: 'a' }, { text: 'b', mediaType: 'Text/Plain; charset=utf-8' }, { data: 1 }]],
    [{ inputSchema: {} }, [{ data: null }]],
    [{ inputSchema: {}, textInput: 'question' }, [{ text: 'a' }]],
    [
      { inputModes: ['image/*'] },
      [
        { raw: 'AA==', mediaType: 'image/png' },
        { url: 'https://x', mediaType: 'image/*' },
      ],
    ],
    [{ inputModes: ['application/octet-stream'] }, [{ raw: 'AA==' }]],
  ])('%j takes %j', (publication, parts) => {
    expect(() => check(parts, publication)).not.toThrow();
  });

  it.each<[Partial<Publication>, Part[], string]>([
    [{}, [{ text: 'a' }, { raw: 'AA==' }], 'message.parts[1].mediaType: application/octet-stream'],
    [{}, [{ text: 'a', mediaType: 'text/markdown' }], 'message.parts[0].mediaType: text/markdown'],
    [{ inputSchema: {} }, [{ text: 'a' }], 'application/json is'],
    [{ inputModes: ['image/*'] }, [{ raw: 'AA==', mediaType: 'imagery/png' }], 'imagery/png is not taken'],
  ])('%j refuses %j, naming the part and what it takes', (publication, parts, text) => {
    expect(() => check(parts, publication)).toThrow(text);
  });
});
