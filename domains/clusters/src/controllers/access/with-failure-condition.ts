import { isError, toError } from '@chandlery/api';
import { type Step, setCondition } from '@chandlery/runtime';
import type { AccessRequest } from '../../kinds/index.ts';
import type { AccessDeps } from './access-deps.ts';

type AccessStep = Step<AccessRequest, AccessDeps>;

/** The reason of a failure by its error code. */
const reasons: Readonly<Record<string, string>> = {
  ConnectionFailed: 'ClusterUnreachable',
  Timeout: 'ClusterUnreachable',
  UntrustedServer: 'ClusterUnreachable',
  ServiceUnavailable: 'ClusterUnreachable',
  UnexpectedAnswer: 'ClusterUnreachable',
  ClusterNotReady: 'ClusterNotReady',
  InvalidConnection: 'ClusterUnreachable',
  Unauthorized: 'ClusterForbids',
  Forbidden: 'ClusterForbids',
  NameTaken: 'NameTaken',
};

/**
 * Reports the failure of a step in `Ready`, and passes it on for a retry. A spec that the cluster's API rejects is
 * denied, because a retry would not help.
 */
export function withFailureCondition(step: AccessStep): AccessStep {
  const wrapped: AccessStep = async (request, deps, context) => {
    try {
      return await step(request, deps, context);
    } catch (thrown) {
      if (isError(thrown, 'Conflict') || context.signal.aborted) throw thrown;
      const { code, message } = toError(thrown);
      const isRejected =
        (code === 'Invalid' || code === 'BadRequest') && request.metadata.deletionTimestamp === undefined;
      const reason = isRejected ? 'RefusedByCluster' : (reasons[code] ?? 'AccessFailed');
      setCondition(request, { type: 'Ready', status: 'False', reason, message: sentence(message) }, context.now);
      if (!isRejected) throw thrown;
      request.status = { ...request.status, phase: 'Denied' };
      return 'stop';
    }
  };
  return Object.defineProperty(wrapped, 'name', { value: step.name });
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
