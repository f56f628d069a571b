import { type Element, elementsAt, ElementsError } from '../src/domain/elements.ts';
import type { Json } from '../src/domain/json.ts';
import type { LaidOut, LayOutElements } from '../src/domain/stage-run.ts';
import type { KeptValues } from '../src/storage/kept-values.ts';
import { helpWorkflow } from './help-workflow.ts';
import { loadEnvelope } from './keep-envelope.ts';
import { unlessStorageFails } from './stage-failed-error.ts';

/** A run reads the page that its element stands on, so a page is small; but a long list must not be as many files. */
const PAGE_CHARACTERS_MAX = 128 * 1024;

/** The activity that lays out the elements of `for_each`, where the list is too large for the workflow. */
export function createLayOutElements({ kept }: { kept: KeptValues }): LayOutElements {
  return (source, pointer) =>
    helpWorkflow(async (): Promise<LaidOut> => {
      try {
        return { elements: await layOut(kept, elementsAt(await loadEnvelope(kept, source), pointer)) };
      } catch (error) {
        if (error instanceof ElementsError) return { problem: error.message };
        throw error;
      }
    });
}

async function layOut(kept: KeptValues, items: readonly Json[]): Promise<readonly Element[]> {
  const elements: Element[] = [];
  let texts: string[] = [];
  let characters = 0;
  const turnPage = async (): Promise<void> => {
    if (texts.length === 0) return;
    const page = await unlessStorageFails('Storing elements', kept.put(`[${texts.join(',')}]`));
    elements.push(...texts.map((_, at) => ({ itemAt: { page, at } })));
    texts = [];
    characters = 0;
  };
  for (const item of items) {
    const text = JSON.stringify(item);
    if (characters + text.length > PAGE_CHARACTERS_MAX) await turnPage();
    texts.push(text);
    characters += text.length;
  }
  await turnPage();
  return elements;
}
