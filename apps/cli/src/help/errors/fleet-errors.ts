import type { ErrorEntry } from '../error-catalogue.ts';

/** Errors of the REST APIs of the fleet: `Fleet` and the number, which the message has in brackets. */
export const fleetErrors: Readonly<Record<string, ErrorEntry>> = {
  Fleet4: {
    means: 'Forbidden to perform this action.',
    next: 'The product does not serve this user; its configuration says whom it does.',
  },
  Fleet5: {
    means: 'The maximum number of allowed instances has been reached.',
    next: 'See what there is with "npx chandlery fleet quota".',
  },
  Fleet6: { means: 'An entity with the specified unique values exists.', next: 'Choose other values.' },
  Fleet7: { means: 'Resource not found.', next: 'See what there is with "npx chandlery fleet instance list".' },
  Fleet8: { means: 'The request is not valid.', next: 'Correct what the message names.' },
  Fleet9: {
    means: 'An unspecified error.',
    next: 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.',
  },
  Fleet10: {
    means: 'The HTTP method is not offered here.',
    next: 'Use another method: the OpenAPI document lists them.',
  },
  Fleet11: { means: 'The account may not perform this action.', next: 'Use the credentials of an administrator.' },
  Fleet12: {
    means: 'Required terms have not been accepted.',
    next: 'The user has to accept the terms of the product first.',
  },
  Fleet15: {
    means: 'The account could not be authenticated.',
    next: 'Use a token that the product accepts: "npx chandlery fleet token", or --token-file.',
  },
  Fleet17: { means: 'The request body cannot be read.', next: 'Send JSON.' },
  Fleet18: {
    means: 'The service does not serve this organisation.',
    next: 'The organisation is not on the access list of the product.',
  },
  Fleet21: { means: 'The request is not understood.', next: 'Correct what the message names.' },
  Fleet23: { means: 'The search query cannot be parsed.', next: 'Write it as name = rex or name like r%.' },
  Fleet24: {
    means: 'The maximum capacity has been reached.',
    next: 'See what has room with "npx chandlery fleet cluster list", or choose another region.',
  },
  Fleet25: { means: 'The resource no longer exists.', next: 'List what there is.' },
  Fleet30: {
    means: 'The cloud provider is not supported.',
    next: 'See docs/fleet.md: it says where the configuration names what can be ordered.',
  },
  Fleet31: {
    means: 'The region is not supported.',
    next: 'See docs/fleet.md: it says where the configuration names what can be ordered.',
  },
  Fleet32: {
    means: 'The name of the instance is invalid.',
    next: 'Begin with a letter; use lower-case letters, digits and "-".',
  },
  Fleet33: { means: 'A field is too short.', next: 'Correct the field that the message names.' },
  Fleet34: { means: 'A field is too long.', next: 'Correct the field that the message names.' },
  Fleet35: { means: 'Only several availability zones are supported.', next: 'Leave multi_az out, or set it to true.' },
  Fleet36: { means: 'The name of the instance is used.', next: 'Choose another name.' },
  Fleet37: { means: 'A field has a value that it cannot have.', next: 'Correct the field that the message names.' },
  Fleet41: {
    means: 'The instance type is not supported.',
    next: 'See docs/fleet.md: it says where the configuration names what can be ordered.',
  },
  Fleet42: {
    means: 'The plan of the instance is not supported.',
    next: 'See docs/fleet.md: it says where the configuration names what can be ordered.',
  },
  Fleet103: { means: 'Synchronous requests are not supported.', next: 'Ask with async=true.' },
  Fleet106: {
    means: 'The client could not be created at the identity provider.',
    next: 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.',
  },
  Fleet109: {
    means: 'The client could not be deleted at the identity provider.',
    next: 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.',
  },
  Fleet120: { means: 'The quota is not sufficient.', next: 'See what there is with "npx chandlery fleet quota".' },
  Fleet121: {
    means: 'The quota could not be checked.',
    next: 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.',
  },
  Fleet429: {
    means: 'Too many requests.',
    next: 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.',
  },
  Fleet503: {
    means: 'A service that is needed does not respond.',
    next: 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.',
  },
};
