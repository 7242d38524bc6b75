import { isError, toError } from '@chandlery/api';
import { type Step, setCondition } from '@chandlery/runtime';
import type { AccessRequest } from '../../kinds/index.ts';
import type { AccessNeeds } from './access-needs.ts';

type AccessStep = Step<AccessRequest, AccessNeeds>;

/** What a failure means for the request, by its code. */
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
 * Tells in `Ready` why a step failed, and lets it be tried again. A spec that the cluster's API refuses is denied: trying
 * again would not help.
 */
export function tellingFailures(step: AccessStep): AccessStep {
  const telling: AccessStep = async (request, needs, context) => {
    try {
      return await step(request, needs, context);
    } catch (thrown) {
      if (isError(thrown, 'Conflict') || context.signal.aborted) throw thrown;
      const { code, message } = toError(thrown);
      const isRefused =
        (code === 'Invalid' || code === 'BadRequest') && request.metadata.deletionTimestamp === undefined;
      const reason = isRefused ? 'RefusedByCluster' : (reasons[code] ?? 'AccessFailed');
      setCondition(request, { type: 'Ready', status: 'False', reason, message: sentence(message) }, context.now);
      if (!isRefused) throw thrown;
      request.status = { ...request.status, phase: 'Denied' };
      return 'stop';
    }
  };
  return Object.defineProperty(telling, 'name', { value: step.name });
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
