/** The old entries of the record, in a database of the browser: the storage of texts has room for some thousands. */

const NAME = "sweep";
const ENTRIES = "entries";

/** @param {IDBRequest} request */
const resultOf = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Run an action on the entries, and wait until its changes are stored. Rejects if the browser has no database. */
async function withEntries(mode, action) {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(ENTRIES, { keyPath: "id" });
  const database = await resultOf(opening);
  try {
    const transaction = database.transaction(ENTRIES, mode);
    const stored = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const [answer] = await Promise.all([action(transaction.objectStore(ENTRIES)), stored]);
    return answer;
  } finally {
    database.close();
  }
}

export const readArchive = () => withEntries("readonly", (entries) => resultOf(entries.getAll()));
export const clearArchive = () => withEntries("readwrite", (entries) => resultOf(entries.clear()));
export const addToArchive = (added) =>
  withEntries("readwrite", (entries) => added.forEach((entry) => void entries.put(entry)));
