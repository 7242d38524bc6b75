const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Functions that are called by their name alone. */
export const supportedFunctions = words(`
  has size string int uint double bool bytes dyn type timestamp duration matches
  url isURL quantity isQuantity ip isIP cidr isCIDR
`);

/** Functions that are called on a value or in a namespace. */
export const supportedMethods = words(`
  all exists exists_one existsOne map filter transformList transformMap transformMapEntry optMap optFlatMap
  size startsWith endsWith contains matches find findAll
  charAt indexOf lastIndexOf lowerAscii upperAscii replace split join substring trim format quote
  isSorted sum min max equivalent intersects
  getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getMonth getHours getMinutes getSeconds getMilliseconds
  getScheme getHost getHostname getPort getEscapedPath getQuery
  sign isInteger asInteger asApproximateFloat add sub compareTo isGreaterThan isLessThan
  isCanonical family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast
  containsIP containsCIDR ip prefixLength masked
  none of hasValue value or orValue
`);

/** What Kubernetes has and we do not: named formats, semantic versions, images. */
export const lackingFunctions = words(`
  named validate dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix dns1123SubdomainPrefix
  dns1035LabelPrefix labelValue uri uuid byte date datetime
  semver isSemver major minor patch
  image isImage registry repository identifier tag digest containsDigest
  ofNonZeroValue
`);

/** Those that the library has too, but with another meaning than Kubernetes; ours go by the name on the right. */
export const replacedFunctions: ReadonlyMap<string, string> = new Map([
  ['matches', 'ourMatches'],
  ['indexOf', 'ourIndexOf'],
  ['lastIndexOf', 'ourLastIndexOf'],
  ['substring', 'ourSubstring'],
  ['split', 'ourSplit'],
  ['join', 'ourJoin'],
  ['lowerAscii', 'ourLowerAscii'],
  ['upperAscii', 'ourUpperAscii'],
]);
