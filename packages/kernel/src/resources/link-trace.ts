import { type KubeObject, traceparentAnnotation } from '@chandlery/api';
import { currentSpan, formatTraceparent, traced } from '@chandlery/platform';
import type { CompiledKind } from '../registry/compiled-kind.ts';
import type { Commit, CommitResult } from '../store/store.ts';
import type { ResourceDeps } from './request.ts';

/**
 * Annotates an object with the trace of the present write, so that reconciles can continue it. To be called when what the
 * object asks for changes. Kinds without a generation have no controllers that could. Replaces the object's metadata.
 */
export function linkTrace({ keepsGeneration }: Pick<CompiledKind, 'keepsGeneration'>, object: KubeObject): void {
  const context = currentSpan()?.context;
  if (!keepsGeneration || context?.isSampled !== true) return;
  const { metadata } = object;
  const annotations = { ...metadata.annotations, [traceparentAnnotation]: formatTraceparent(context) };
  object.metadata = { ...metadata, annotations };
}

/** Commits, as a span of the trace that the write is part of. */
export function commitTraced({ store, tracer }: ResourceDeps, commit: Commit): Promise<CommitResult> {
  if (currentSpan() === undefined) return store.commit(commit);
  const resources = [...new Set(commit.writes.map(({ key }) => key.resource))].slice(0, 5).join(',');
  const attributes = { 'chandlery.writes': commit.writes.length, 'chandlery.resources': resources };
  return traced(tracer, 'store commit', { attributes, needsParent: true }, () => store.commit(commit));
}
