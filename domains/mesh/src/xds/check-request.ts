import { type ResourceType, resourceTypes, typeUrls } from '../model/resource.ts';
import type { DeltaDiscoveryRequest, DiscoveryRequest, StreamError } from './messages.ts';
import type { StreamLimits } from './stream-settings.ts';

const typeOfUrl: ReadonlyMap<string, ResourceType> = new Map(resourceTypes.map(type => [typeUrls[type], type]));

/**
 * Returns the resource type of a request; undefined for an unknown type, because clients may support more types.
 *
 * @param only the type of the stream; undefined for an aggregated stream
 */
export function typeOfRequest(typeUrl: string, only: ResourceType | undefined): ResourceType | StreamError | undefined {
  const type = typeUrl === '' ? only : typeOfUrl.get(typeUrl);
  if (only !== undefined && type !== only)
    return invalid(`this stream is for "${typeUrls[only]}" only, not for "${typeUrl.slice(0, 200)}"`);
  if (typeUrl === '' && only === undefined) return invalid('type_url is required on an aggregated stream');
  return type;
}

/** Checks the number and length of names. Returns undefined for valid ones. */
export function checkNames(
  request: DiscoveryRequest | DeltaDiscoveryRequest,
  { maxNames, maxNameLength }: StreamLimits,
): StreamError | undefined {
  const lists: readonly Iterable<string>[] =
    'resourceNames' in request
      ? [request.resourceNames]
      : [
          request.resourceNamesSubscribe,
          request.resourceNamesUnsubscribe,
          request.initialResourceVersions.keys(),
          request.initialResourceVersions.values(),
        ];
  for (const list of lists) {
    let count = 0;
    for (const name of list) {
      if (name.length > maxNameLength)
        return invalid(`"${name.slice(0, 64)}…" is too long: at most ${maxNameLength} characters are allowed`);
      if (++count > maxNames) return tooManyNames(maxNames);
    }
  }
  return undefined;
}

export const tooManyNames = (maxNames: number): StreamError => ({
  code: 'RESOURCE_EXHAUSTED',
  message: `a stream may subscribe to ${maxNames} names at most; subscribe to what is used, or to "*"`,
});

/** Checks the total of all subscriptions of an account. Returns undefined within the limits. */
export function checkView(
  { nameCount, subscriptionCount }: { readonly nameCount: number; readonly subscriptionCount: number },
  { maxViewNames, maxViewSubscriptions }: StreamLimits,
): StreamError | undefined {
  if (nameCount <= maxViewNames && subscriptionCount <= maxViewSubscriptions) return undefined;
  const [count, what] = nameCount > maxViewNames ? [maxViewNames, 'different names'] : [maxViewSubscriptions, 'names'];
  return {
    code: 'RESOURCE_EXHAUSTED',
    message: `the proxies of this account may subscribe to ${count} ${what} together; subscribe to what is used, or connect to another replica`,
  };
}

const invalid = (message: string): StreamError => ({ code: 'INVALID_ARGUMENT', message });
