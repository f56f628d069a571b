import type { ParameterizedContext } from 'koa';
import type { OpenArtifact } from '../../a2a/open-artifact.ts';
import type { CallerState } from '../request-state.ts';
import { isNotModified } from '../not-modified.ts';
import { contentDisposition } from '../content-disposition.ts';
import { Failure } from '../../domain/failure.ts';

/** `GET /a2a/artifacts/:taskId/:artifactId`: the bytes of a file that a task has left. */
export function createArtifactHandler(openArtifact: OpenArtifact) {
  return async function handleArtifact(
    ctx: ParameterizedContext<CallerState>,
    taskId: string,
    artifactId: string,
  ): Promise<void> {
    const { stream, bytes, sha256, mediaType, filename } = await openArtifact(
      decodeSegment(taskId),
      decodeSegment(artifactId),
      ctx.state.caller,
    );
    ctx.set('Cache-Control', 'private, no-store');
    ctx.set('X-Content-Type-Options', 'nosniff');
    // Written by whoever ran the task: never to be run in a page of ours.
    ctx.set('Content-Security-Policy', "default-src 'none'; sandbox");
    ctx.set('Content-Disposition', contentDisposition(filename));
    const tag = `"${sha256}"`;
    ctx.set('ETag', tag);
    ctx.status = 200;
    if (isNotModified(ctx, { tag })) {
      stream.destroy();
      ctx.status = 304;
      return;
    }
    ctx.set('Content-Type', isHeaderSafe(mediaType) ? mediaType : 'application/octet-stream');
    ctx.length = bytes;
    ctx.body = stream;
  };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Failure('task-not-found', 'Artifact not found');
  }
}

function isHeaderSafe(mediaType: string): boolean {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/.test(mediaType);
}
