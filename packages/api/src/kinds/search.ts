import { review } from './built-in.ts';
import { bool, int32, list, message, one, string, time } from './message.ts';

const singleSearch = message('One search.', {
  text: string(1, 'Part of a name, namespace or label.'),
  states: list(2, 'string', 'States of objects: failed, deleting, waiting, exists, ready. Default: any.'),
  namespace: string(3, 'Only there. Default: all namespaces, and objects without one.'),
  orderBy: string(4, 'urgency, changed, or name: whose names fit the text best. Default: urgency.'),
  limit: int32(5, 'How many objects are returned, at most 500. Default: 50.'),
  except: list(6, 'string', 'Kinds that are left out, as resource.group: secrets, operations.brokers.chandlery.io.'),
});

const objectSearchSpec = message('What is searched. Default: all objects, the most urgent first.', {
  text: string(1, 'Part of a name, namespace or label.'),
  states: list(2, 'string', 'States of objects: failed, deleting, waiting, exists, ready. Default: any.'),
  namespace: string(3, 'Only there. Default: all namespaces, and objects without one.'),
  orderBy: string(4, 'urgency, changed, or name: whose names fit the text best. Default: urgency.'),
  limit: int32(5, 'How many objects are returned, at most 500. Default: 50.'),
  searches: list(6, singleSearch, 'Several searches at once, at most 5, instead of one.'),
  after: string(7, 'The token of what the caller knows: the response waits until there is something else.'),
  timeoutSeconds: int32(8, 'How long it waits at most, up to 30. Default: 30 with after.'),
  except: list(9, 'string', 'Kinds that are left out, as resource.group: secrets, operations.brokers.chandlery.io.'),
});

const foundObject = message('An object that was found.', {
  group: string(1, 'API group.'),
  version: string(2, 'API version.'),
  plural: string(3, 'Plural name of the kind.'),
  kind: string(4, 'Kind.'),
  namespace: string(5, 'Namespace; none for cluster-scoped objects.'),
  name: string(6, 'Name.'),
  displayName: string(7, 'The name that people gave it, where its own is an id.'),
  state: string(8, 'failed, deleting, waiting, exists, or ready.'),
  reason: string(9, 'Why it is in this state.'),
  message: string(10, 'The same as a sentence.'),
  changedAt: time(11, 'When it was changed last.'),
});

const searchResult = message('What one of several searches found.', {
  items: list(1, foundObject, 'The first objects.'),
  total: int32(2, 'How many objects were found.'),
  isIncomplete: bool(3, 'Whether not all objects were examined: collections that are being read are missing.'),
});

const objectSearchStatus = message('What was found.', {
  items: list(1, foundObject, 'The first objects.'),
  total: int32(2, 'How many objects were found.'),
  isIncomplete: bool(3, 'Whether not all objects were examined: collections that are being read are missing.'),
  results: list(4, searchResult, 'What each of several searches found, in their order.'),
  token: string(5, 'Stands for what was found, for a request that waits for something else.'),
  isUnchanged: bool(6, 'Whether there was nothing else within the time: then nothing is returned again.'),
});

/** What is there, of whatever kind? */
export const objectSearch = review({
  group: 'search.chandlery.io',
  version: 'v1alpha1',
  kind: 'ObjectSearch',
  plural: 'objectsearches',
  scope: 'Cluster',
  description: 'Searches the objects of all kinds that the caller may list, by text and state.',
  fields: {
    spec: one(2, objectSearchSpec, 'The question.'),
    status: one(3, objectSearchStatus, 'The answer.'),
  },
});

const objectReference = message('An object by its name.', {
  group: string(1, 'API group. Default: the core group.'),
  kind: string(2, 'Kind.'),
  namespace: string(3, 'Namespace. Default: none.'),
  name: string(4, 'Name.'),
});

const objectLookupSpec = message('Which objects are wanted: those that any of the fields names.', {
  owners: list(1, 'string', 'The uids of objects: what has an owner reference to one of them.'),
  objects: list(2, objectReference, 'Single objects.'),
  labelSelectors: list(3, 'string', 'What one of these selectors chooses.'),
  namespaces: list(4, 'string', 'Everything in these namespaces.'),
  groups: list(5, 'string', 'The cluster-scoped objects of these API groups.'),
  continue: string(6, 'The continue of the response before: the objects after those.'),
});

const objectLookupStatus = message('The objects that the caller may list, each once, without managedFields.', {
  items: list(1, 'json', 'The objects.'),
  continue: string(2, 'There are more: ask again with it.'),
  isIncomplete: bool(3, 'Whether there are more than one request finds.'),
});

/** Objects of whatever kinds by how they belong to others. */
export const objectLookup = review({
  group: 'search.chandlery.io',
  version: 'v1alpha1',
  kind: 'ObjectLookup',
  plural: 'objectlookups',
  scope: 'Cluster',
  description: 'Reads objects of all kinds that the caller may list, by owners, labels, namespaces and names.',
  fields: {
    spec: one(2, objectLookupSpec, 'The question.'),
    status: one(3, objectLookupStatus, 'The answer.'),
  },
});
