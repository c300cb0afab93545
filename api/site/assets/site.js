// Times are written in UTC; here they are told in the reader's own time. Nothing else needs this script.
const format = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
for (const element of document.querySelectorAll('time[datetime]')) {
  element.title = element.textContent ?? '';
  element.textContent = format.format(new Date(element.dateTime));
}
