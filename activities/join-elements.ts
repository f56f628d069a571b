import { joinEnvelopes } from '../src/domain/elements.ts';
import type { Envelope, KeptEnvelope } from '../src/domain/envelope.ts';
import type { JoinElements } from '../src/domain/stage-run.ts';
import type { ArtifactStore } from '../src/storage/artifact-store.ts';
import type { KeptValues } from '../src/storage/kept-values.ts';
import { helpWorkflow } from './help-workflow.ts';
import { ENVELOPE_BYTES_MAX, keepEnvelope, loadEnvelope, STAGE_INLINE_BYTES_MAX } from './keep-envelope.ts';
import { cutText } from './split-text.ts';
import { limitExceeded, unlessStorageFails } from './stage-failed-error.ts';
import { RESULT_FILE } from './stage-keys.ts';
import { TEXT_BYTES_MAX } from './text-room.ts';

/** What stays of the summaries, where nobody but the task's own status could show them: longer than that shows. */
const SUMMARY_CHARACTERS_MAX = 4_000;

/** The activity that makes the envelope of a `for_each` stage, where those of its elements are too large for the workflow. */
export function createJoinElements({ kept, artifacts }: { kept: KeptValues; artifacts: ArtifactStore }): JoinElements {
  return ({ taskId, envelopes, isResult }) =>
    helpWorkflow(async () => {
      const joined = joinEnvelopes(await loadAll(kept, envelopes));
      if (!isResult) return keepEnvelope(kept, joined, STAGE_INLINE_BYTES_MAX);
      const { payload, ...rest } = joined;
      const summary = cutText(joined.summary, SUMMARY_CHARACTERS_MAX);
      const content = Buffer.from(JSON.stringify(payload));
      if (content.byteLength <= TEXT_BYTES_MAX) return { ...joined, summary };
      const stored = await unlessStorageFails(
        'Storing the result',
        artifacts.put(taskId, RESULT_FILE.artifactId, content),
      );
      return { ...rest, summary, artifacts: [...rest.artifacts, { ...RESULT_FILE, ...stored }] };
    });
}

async function loadAll(kept: KeptValues, envelopes: readonly KeptEnvelope[]): Promise<readonly Envelope[]> {
  const bytes = envelopes.reduce((sum, envelope) => sum + ('kept' in envelope ? envelope.kept.bytes : 0), 0);
  if (bytes > ENVELOPE_BYTES_MAX) throw limitExceeded('What the elements returned together', ENVELOPE_BYTES_MAX);
  const loaded: Envelope[] = [];
  for (const envelope of envelopes) loaded.push(await loadEnvelope(kept, envelope));
  return loaded;
}
