/** Addresses of the pages: `/watch` on a server, `./?page=watch` in a folder of static files. */

/** Whether this page is a folder of static files, so that everything happens in this browser. */
export const isLocal = document.documentElement.dataset.local !== undefined;

/** The address of a page, and of a game or a token on it. */
export function addressOfPage(page, id = "") {
  if (!isLocal) return `/${[page, id].filter(Boolean).join("/")}`;
  if (!page) return "./";
  return `./?${new URLSearchParams({ page, ...(id && { id }) })}`;
}

/** The page of this address and what follows it: a game, a token or undefined. */
export function currentPlace() {
  if (!isLocal) return location.pathname.split("/").slice(1);
  const query = new URLSearchParams(location.search);
  return [query.get("page") ?? "", query.get("id") ?? undefined];
}
